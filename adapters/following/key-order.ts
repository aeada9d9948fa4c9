import type { RecordedEvent } from '../../domain/kernel/ports.ts'

/** The place that a reactor has come to; the event is unknown only where it began. */
export type Place = { readonly position: bigint; readonly event?: RecordedEvent }

/** Events that are reacted to in one go: one, or several of the same keys. */
export type Task = {
  readonly events: readonly RecordedEvent[]
  /** The place up to which the log was dispatched before them: one that the store knows. */
  readonly before: Place
}

/**
 * The reactions that have begun and not ended, and those that wait for them: one starts once no earlier one under way
 * shares any of its keys.
 */
export type KeyOrder = {
  /**
   * Dispatches what comes next in the log. Answers its task when it may start; else that is among those that are
   * answered when the last one ends that it waits for. When nobody can tell its keys, it waits for all before it, and
   * all after it wait. Where a task of the same keys was not begun, and has not so many events as `max`, it joins that
   * one, and none is answered.
   */
  add(event: RecordedEvent, keys: readonly string[] | undefined, max?: number): readonly Task[]
  /** No event joins a task that was begun. */
  begin(task: Task): void
  /** Nothing has to be done up to this place beside what was added. */
  pass(place: Place): void
  /** Answers those that may start now. */
  end(task: Task): readonly Task[]
  /** Nobody waits any more for what keeps failing, nor for what waits behind it. */
  giveUp(task: Task): void
  /** Where everything is done. */
  done(): Place
  /** Where everything is done but for what was given up. */
  passed(): Place
  /** Events whose reactions have not ended, and events from the oldest of them on. */
  size(): { readonly open: number; readonly ahead: number }
  open(): readonly Task[]
}

type Node = Task & {
  readonly events: RecordedEvent[]
  /** The count of events before it. */
  readonly number: number
  readonly keys: readonly string[]
  readonly followers: Node[]
  waitsFor: number
  begun: boolean
}

export const createKeyOrder = (start: Place): KeyOrder => {
  let dispatched = start
  /** Events so far, and those of tasks that have not ended. */
  let [count, left] = [0, 0]
  /** Both in the order of the log. */
  const open = new Set<Node>()
  const awaited = new Set<Node>()
  /** The newest of each key, for which the next one of it waits. */
  const newest = new Map<string, Node>()
  /** The newest whose keys nobody can tell. */
  let barrier: Node | undefined

  const before = (keys: readonly string[] | undefined): ReadonlySet<Node> => {
    if (keys === undefined) return new Set(open)
    const last = keys.flatMap((key) => newest.get(key) ?? [])
    return new Set(barrier ? [...last, barrier] : last)
  }
  /** The task that an event of these keys joins. */
  const taskToJoin = ([key, ...others]: readonly string[], max: number): Node | undefined => {
    const node = key === undefined ? undefined : newest.get(key)
    if (!node || node.begun || node.events.length >= max || others.length + 1 !== node.keys.length) return undefined
    // What nobody can tell the keys of comes between them.
    if (barrier && barrier.number > node.number) return undefined
    return others.every((other) => newest.get(other) === node) ? node : undefined
  }
  const openTask = (keys: readonly string[] | undefined): Node => {
    const earlier = before(keys)
    const node: Node = {
      events: [],
      before: dispatched,
      number: count,
      keys: keys ?? [],
      followers: [],
      waitsFor: earlier.size,
      begun: false,
    }
    for (const each of earlier) each.followers.push(node)
    for (const key of node.keys) newest.set(key, node)
    if (keys === undefined) barrier = node
    open.add(node)
    if ([...earlier].every((each) => awaited.has(each))) awaited.add(node)
    return node
  }

  return {
    add(event, keys, max = 1) {
      const joined = keys && taskToJoin(keys, max)
      const node = joined ?? openTask(keys)
      node.events.push(event)
      count++
      left++
      dispatched = { position: event.position, event }
      return joined || node.waitsFor > 0 ? [] : [node]
    },
    begin(task) {
      ;(task as Node).begun = true
    },
    pass(place) {
      dispatched = place
    },
    end(task) {
      const node = task as Node
      open.delete(node)
      awaited.delete(node)
      left -= node.events.length
      for (const key of node.keys) if (newest.get(key) === node) newest.delete(key)
      if (barrier === node) barrier = undefined
      return node.followers.filter((each) => --each.waitsFor === 0)
    },
    giveUp(task) {
      const behind = [task as Node]
      for (let node = behind.pop(); node; node = behind.pop()) if (awaited.delete(node)) behind.push(...node.followers)
    },
    done: () => first(open)?.before ?? dispatched,
    passed: () => first(awaited)?.before ?? dispatched,
    size: () => ({ open: left, ahead: count - (first(open)?.number ?? count) }),
    open: () => [...open],
  }
}

const first = <T>(all: ReadonlySet<T>): T | undefined => all.values().next().value
