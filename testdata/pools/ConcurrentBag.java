package com.zaxxer.hikari.util;

import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Not HikariCP: a bag of our own, which waits where that one does, under its name. */
public class ConcurrentBag<T> {
    private final ConcurrentLinkedQueue<T> free = new ConcurrentLinkedQueue<>();
    private final SynchronousQueue<T> handoff = new SynchronousQueue<>(true);

    public T borrow(long timeout, TimeUnit unit) throws InterruptedException {
        T t = free.poll();
        while (t == null) {
            t = handoff.poll(5, TimeUnit.MILLISECONDS);
            if (t == null) t = free.poll();
        }
        return t;
    }

    public void requite(T t) {
        if (!handoff.offer(t)) free.add(t);
    }
}
