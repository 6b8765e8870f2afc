"""Runs a command under limits and writes what it used: launch.py USAGE.json CPU_SECONDS BYTES COMMAND…

The peak memory that the system reports of a process begins with that of the process which forked it. So
this stands between, without any library: what it reports is wrong only below its own 10 MB.
"""

import json
import os
import resource
import signal
import sys


def main() -> None:
    usage, seconds, size, command = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 2))
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
        os.execvp(command[0], command)
    # Who ends this ends the command too.
    signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGKILL))
    _, status, used = os.wait4(child, 0)
    code = os.waitstatus_to_exitcode(status)
    with open(usage, "w") as file:
        json.dump({"code": code, "cpu_seconds": used.ru_utime + used.ru_stime, "memory": used.ru_maxrss * 1024}, file)


if __name__ == "__main__":
    main()
