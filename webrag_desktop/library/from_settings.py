"""What follows from the settings alone: where intake waits, and how the worker is started."""

import hashlib
import os
import sys
from pathlib import Path

from webrag_desktop.config import Settings
from webrag_desktop.jobs.worker_process import WorkerCommand, worker_arguments
from webrag_desktop.storage.captures.spool import Spool


def spool_of(settings: Settings) -> Spool:
    """Where intake waits while the database is down; what was meant for one database never goes to another."""
    url = settings.webrag_database_url
    named = hashlib.sha256(url.get_secret_value().encode()).hexdigest()[:12] if url else settings.webrag_stack
    return Spool(settings.webrag_home / "intake" / named.replace("auto", "embedded"))


def worker_command(settings: Settings) -> WorkerCommand:
    """How this program starts its own worker; the settings travel by the environment."""
    package_parent = str(Path(__file__).parents[2])
    environment = os.environ | settings.as_environment() | {"PYTHONPATH": package_parent}
    log_path = settings.webrag_home / "logs" / "worker.log"
    return WorkerCommand(worker_arguments(sys.executable), environment, log_path)
