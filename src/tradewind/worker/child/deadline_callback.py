"""Calls who shall hear of a missed deadline: `python -P -m tradewind.worker.child.deadline_callback FD`.

FD is one end of a stream to who started it, a supervisor or a triggerer. It is the author's code, so it runs in a
process of its own, which knows no secret and whose last word is all that anybody takes from it.
"""

import os
import sys
import traceback
from dataclasses import asdict
from typing import Final, NoReturn, cast

import msgspec
import setproctitle

from tradewind.compat import install
from tradewind.runtime.die_with_parent import die_with_parent
from tradewind.runtime.subreaper import become_subreaper
from tradewind.sdk.runtime import Runtime, set_process_runtime
from tradewind.sdk.secrets_masker import redact_known
from tradewind.worker.child import output
from tradewind.worker.child.dag_file import import_file
from tradewind.worker.child.output import CAPTURE
from tradewind.worker.child.pipe import Pipe, SupervisorGone
from tradewind.worker.child.pipe_runtime import PipeRuntime
from tradewind.worker.protocol import CallbackCall, FrameKind
from tradewind.worker.task_life.deadline_callback import call_back, context_of, find_callback

_decode_call: Final = msgspec.msgpack.Decoder(CallbackCall).decode


def main() -> NoReturn:
    """From its first to its last moment."""
    exit_code = os.EX_SOFTWARE
    try:
        die_with_parent()
        become_subreaper()
        pipe = Pipe(int(sys.argv[1]))
        call = _received(pipe)
        order = call.order
        setproctitle.setproctitle(f"tradewind: deadline callback of {order.dag_run.dag_id}")
        install()
        output.prepare()
        CAPTURE.connect(pipe.send_frame)
        error = _carried_out(call, PipeRuntime(pipe))
        CAPTURE.finish()
        pipe.send(FrameKind.ENDED, error)
        exit_code = os.EX_OK
    except SupervisorGone:
        pass  # nobody to tell
    finally:
        os._exit(exit_code)


def _received(pipe: Pipe) -> CallbackCall:
    while True:
        kind, content = pipe.receive()
        if kind == FrameKind.ORDER:
            return _decode_call(content)


def _carried_out(call: CallbackCall, runtime: PipeRuntime) -> str | None:
    """Why it failed, if it did."""
    order = call.order
    imported = import_file(call.file, cast("Runtime", runtime))
    CAPTURE.install()
    if imported.error:
        return redact_known(f"the DAG file cannot be imported: {imported.error}")
    runtime.tell_secrets()
    set_process_runtime(cast("Runtime", runtime))
    dag_run = msgspec.to_builtins(asdict(order.dag_run))
    try:
        callback = find_callback(imported.dags.get(order.dag_run.dag_id), order.number)
        call_back(callback, context_of(dag_run, order.key, order.due_at))
    except (Exception, SystemExit) as error:
        return redact_known("".join(traceback.format_exception(error)))
    return None


if __name__ == "__main__":
    main()
