"""The package as users get it: its wheel, installed outside the checkout, and its metadata."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import venv
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

# Runs with an installed wheel, outside the checkout, and says where it took the package from.
SMOKE_TEST = """
import gymnasium

env = gymnasium.make("qv_env:QuaranteVoleurs-v0", render_mode="rgb_array", max_episode_steps=300)
observation, info = env.reset(seed=21)
assert info["deal"] == "FT1-N-AAAAAAV", info
assert env.observation_space.contains(observation)
env.action_space.seed(21)
ended = False
while not ended:
    action = env.action_space.sample(mask=info["action_mask"])
    observation, reward, terminated, truncated, info = env.step(action)
    ended = terminated or truncated
frame = env.render()
assert frame.ndim == 3 and frame.shape[2] == 3 and frame.std() > 0, frame.shape

from qv_env.web.playing import playing_page

assert "{{" not in playing_page(None, has_outlook=False).html

import agents, qv_env

print(qv_env.__file__, agents.__file__, sep="\\n")
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the source distribution and, from that, the wheel."""
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True, text=True)
    return next(folder.glob("*.whl"))


def test_the_wheel_holds_every_file_of_the_packages(wheel: Path) -> None:
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    on_disk = {
        path.relative_to(ROOT).as_posix()
        for package in ("qv_env", "agents")
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert packed == on_disk


def test_the_installed_wheel_works_outside_the_checkout(wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "venv"
    venv.create(home, with_pip=False, symlinks=os.name != "nt")
    scripts = home / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / "python"
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps"]
    run(*install, "--no-index", "--disable-pip-version-check", str(wheel))
    # What the package depends on comes from the Python that runs the tests, without the path
    # files in there, which lead to the checkout.
    here = sysconfig_purelib()
    (site / "dependencies.pth").write_text(f"{here}\n", encoding="utf-8")

    loaded = run(python, "-I", "-c", SMOKE_TEST, folder=tmp_path).splitlines()
    assert [Path(line).parent.parent for line in loaded] == [site, site]
    assert "Usage" in run(scripts / "qv", "--help", folder=tmp_path)


def test_the_entry_point_registers_the_environment() -> None:
    (entry,) = (e for e in metadata.entry_points(group="gymnasium.envs") if "qv_env" in e.value)
    script = (
        "import gymnasium, importlib.metadata as metadata\n"
        f"register = metadata.EntryPoint({entry.name!r}, {entry.value!r}, {entry.group!r}).load()\n"
        "register()\n"
        "register()\n"
        "assert 'QuaranteVoleurs-v0' in gymnasium.registry\n"
    )
    run(sys.executable, "-W", "error", "-c", script)


def test_every_package_that_make_installs_is_pinned() -> None:
    names = re.findall(r"^([\w.-]+)==\S+$", (ROOT / "constraints.txt").read_text(), re.MULTILINE)
    pinned = {canonical(name) for name in names}
    extras = PROJECT["optional-dependencies"].values()
    asked = [*PROJECT["dependencies"], *(line for extra in extras for line in extra)]
    wanted = {canonical(re.split(r"[\[<>=!~; ]", line)[0]) for line in asked}
    assert wanted - {"qv-env"} <= pinned


def test_version_is_the_same_everywhere() -> None:
    version = PROJECT["version"]
    assert metadata.version("qv-env") == version
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\n## [{version}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def canonical(name: str) -> str:
    """Return a distribution's name as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def sysconfig_purelib() -> Path:
    """Return the folder of third-party packages of the Python that runs the tests."""
    return Path(pytest.__file__).parent.parent


def run(*command: str | Path, folder: Path | None = None) -> str:
    """Run a command with no help from the checkout's environment and return what it printed."""
    clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(
        list(map(str, command)), cwd=folder, env=clean, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
