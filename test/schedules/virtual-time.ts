/**
 * Timers that explored code starts become steps of the schedule: time may pass at any moment, or not before a crash.
 * Others are left alone.
 */
import { syncBuiltinESMExports } from 'node:module'
import promises from 'node:timers/promises'
import { later } from './schedule.ts'

const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis
const { setTimeout: pause } = promises

type Act = (...args: unknown[]) => void

class VirtualTimer {
  callOff: (() => void) | undefined
  ref() {
    return this
  }
  unref() {
    return this
  }
}

const setVirtualTimeout = (act: Act, ms = 0, ...args: unknown[]) => {
  const timer = new VirtualTimer()
  timer.callOff = later(ms, () => act(...args))
  return timer.callOff ? timer : setTimeout(act, ms, ...args)
}

/** Goes off again only once something else has happened, so that what does nothing but look comes to rest. */
const setVirtualInterval = (act: Act, ms = 0, ...args: unknown[]) => {
  const timer = new VirtualTimer()
  const goOff = () => {
    timer.callOff = later(ms, goOff, true)
    act(...args)
  }
  timer.callOff = later(ms, goOff)
  return timer.callOff ? timer : setInterval(act, ms, ...args)
}

const clear =
  (real: (timer: NodeJS.Timeout | undefined) => void) => (timer: NodeJS.Timeout | VirtualTimer | undefined) =>
    timer instanceof VirtualTimer ? timer.callOff?.() : real(timer)

const virtualPause = <T>(ms = 0, value?: T, options: { signal?: AbortSignal } = {}): Promise<T> => {
  const { signal } = options
  return new Promise((resolve, reject) => {
    const stop = () => {
      callOff?.()
      reject(new DOMException('The wait was called off', 'AbortError'))
    }
    const callOff = later(ms, () => {
      signal?.removeEventListener('abort', stop)
      resolve(value as T)
    })
    if (!callOff) resolve(pause(ms, value, options) as Promise<T>)
    else if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}

Object.assign(globalThis, {
  setTimeout: setVirtualTimeout,
  clearTimeout: clear(clearTimeout),
  setInterval: setVirtualInterval,
  clearInterval: clear(clearInterval),
})
Object.assign(promises, { setTimeout: virtualPause })
syncBuiltinESMExports()
