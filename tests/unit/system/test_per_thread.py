"""A value that each thread makes for itself."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from pollux.system.per_thread import PerThread


def test_each_thread_has_its_own_and_closes_it_itself() -> None:
    result, closed = iter(range(10)), list[int]()
    values = PerThread(lambda: next(result), closed.append)
    with ThreadPoolExecutor(1) as other:
        assert (values.get(), values.get(), other.submit(values.get).result()) == (0, 0, 1)
        values.close()
        assert closed == [0]
        assert (values.get(), other.submit(values.get).result()) == (2, 1)
        values.renew()
        assert closed == [0, 2]
        assert other.submit(values.get).result() == 1
        other.submit(values.follow).result()
        assert closed == [0, 2, 1]
        assert (other.submit(values.get).result(), values.get()) == (3, 4)
        values.follow()
        assert values.get() == 4
