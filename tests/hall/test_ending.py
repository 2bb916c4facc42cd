"""A link that is told to end does end, also where Python loses the first cancellation."""

from __future__ import annotations

import asyncio

from companion.hall.link.port import ended


def test_a_task_that_swallows_a_cancellation_is_ended_all_the_same() -> None:
    async def deaf(times: int) -> None:
        while True:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                times -= 1
                if times < 0:
                    raise

    async def failing() -> None:
        raise OSError("gone")

    async def run() -> None:
        tasks = [asyncio.create_task(one) for one in (deaf(0), deaf(2), failing())]
        await asyncio.sleep(0)
        await asyncio.wait_for(ended(*tasks), 10)
        assert all(task.done() for task in tasks)
        await ended(*tasks)

    asyncio.run(run())
