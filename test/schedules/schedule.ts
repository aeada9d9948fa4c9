/** One schedule: the processes of a scenario, taken step by step in an order that a plan names. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { States } from './states.ts'

export type Bounds = {
  /**
   * How often a task that could go on is made to wait for another, or time passes although something could go on. Who
   * goes on when a task waits or ends is always open.
   */
  readonly preemptions: number
  /** How often a process loses all that it has in memory, at a step marked `crash`; it is then started again. */
  readonly crashes: number
}

/** Makes what is explored, afresh for every schedule, and says what has to be true of it. */
export type Scenario = (start: StartProcess) => Checks | Promise<Checks>
/** Runs `boot` for a process, and again after each of its crashes. */
export type StartProcess = (name: string, boot: (self: Process) => void) => void
export type Process = {
  readonly name: string
  readonly crashed: AbortSignal
  /** Runs work that has to come to its end unless the process crashes. */
  task(name: string, work: () => Promise<unknown>): void
  /** Runs work that may go on for ever, such as following a log. */
  follow(name: string, work: () => Promise<unknown>): void
}
export type Checks = {
  /** What the processes share, as text: where it is the same, a process finds the same. */
  shared(): string
  /** Throws when something is wrong; asked after every step. */
  always(): void
  /** Throws when something is wrong although nothing can go on any more. */
  atRest(): unknown
  /**
   * Resolves once every task waits at a step. Unless given that is after one turn of the event loop, enough for what
   * stays in memory.
   */
  settled?(): Promise<unknown>
}

/** How a schedule ended: at rest, in a state from which all was explored before, or with something wrong. */
export type End = 'rest' | 'known' | { readonly wrong: unknown; readonly trace: readonly string[] }
/** Which way to go on, of so many. */
export type Choice = { readonly choice: number; readonly of: number }
/**
 * The choices that a schedule begins with; after them it takes the first way each time. How many ways there were may be
 * left open.
 */
export type Plan = readonly { readonly choice: number; readonly of?: number }[]

/**
 * Waits until the schedule lets this task go on; outside of a schedule not at all. What the task has just learnt
 * belongs in the label.
 */
export const step = async (label: string, options: { crash?: boolean; ready?: () => boolean } = {}): Promise<void> => {
  const task = running.getStore()
  if (task) await new Promise<void>((go) => task.member.park({ task, label, go, ...options }))
}

/**
 * Does something when so much time has passed, which is a step too; with `stirred` only once something else has
 * happened meanwhile. Answers how to call it off; undefined outside of a schedule.
 */
export const later = (ms: number, act: () => void, stirred = false): (() => void) | undefined => {
  const task = running.getStore()
  if (!task) return undefined
  const { member } = task
  const own = { member, name: task.timer ? task.name : `${task.name}, timer`, timer: true }
  const due = member.now + ms
  const since = member.stirs()
  const go = () => {
    member.now = due
    running.run(own, act)
  }
  const ready = () => !stirred || member.stirs() > since
  return member.park({ task: own, label: `${ms} ms have passed`, due, go, ready })
}

/** Tells what a task has learnt without a step of its own. */
export const learnt = (what: string): void => running.getStore()?.member.learn(what)

/**
 * Does a part of a task under a name of its own, so that it is told from other parts that are under way at the same
 * time and make the same steps.
 */
export const apart = <T>(name: string, work: () => Promise<T>): Promise<T> => {
  const task = running.getStore()
  return task ? running.run({ ...task, name: `${task.name}, ${name}` }, work) : work()
}

/** Makes a call whose own timers and steps are no part of the schedule. */
export const unscheduled = <T>(call: () => T): T => running.exit(call)

type Task = { readonly member: Member; readonly name: string; readonly timer?: boolean }
/** Where a task waits; `due` when it waits for that time. */
type Point = { task: Task; label: string; go(): void; crash?: boolean; due?: number; ready?(): boolean }
type Option = { readonly point: Point; readonly crash?: boolean; readonly preempts?: boolean }
type Member = {
  readonly name: string
  readonly boot: (self: Process) => void
  readonly crashed: AbortController
  /** The tasks that have to come to their end. */
  readonly unfinished: Set<string>
  /** Stands for all that its tasks have learnt and done, in order, and so for all that is in its memory. */
  history: number
  /** Milliseconds since its start, as far as it can know. */
  now: number
  /** Steps of all processes so far, without those that timers brought about. */
  stirs(): number
  learn(what: string): void
  park(point: Point): () => void
}

/** A schedule with more steps runs in a circle. */
const STEPS_MAX = 2_000
const running = new AsyncLocalStorage<Task>()

export const createSchedule = (scenario: Scenario, bounds: Bounds, plan: Plan, states: States) => {
  const members: Member[] = []
  const taken: Choice[] = []
  const trace: string[] = []
  const used = { preemptions: 0, crashes: 0 }
  const failures: unknown[] = []
  let points: Point[] = []
  let current: Task | undefined
  let stirs = 0

  const start: StartProcess = (name, boot) => {
    const crashed = new AbortController()
    const learn = (what: string) => {
      member.history = states.after(member.history, what)
    }
    const park = (point: Point) => {
      if (!crashed.signal.aborted) points.push(point)
      learn(`${point.task.name} may: ${point.label}`)
      return () => {
        points = points.filter((each) => each !== point)
      }
    }
    const unfinished = new Set<string>()
    const member: Member = { name, boot, crashed, unfinished, history: 0, now: 0, stirs: () => stirs, learn, park }
    const begin = (task: string, work: () => Promise<unknown>) =>
      running.run({ member, name: task }, async () => {
        if (unfinished.has(task)) await step('starts')
        await work().catch((error: unknown) => failures.push(...(crashed.signal.aborted ? [] : [error])))
        unfinished.delete(task)
      })
    members.push(member)
    boot({
      name,
      crashed: crashed.signal,
      follow: (task, work) => void begin(task, work),
      task(task, work) {
        unfinished.add(task)
        void begin(task, work)
      },
    })
  }

  /** The first is to go on with the same task, so that the schedule tried first has no preemption and no crash. */
  const options = (): Option[] => {
    const awake = points.filter(isAwake)
    const ready = awake.filter((point) => isNext(awake, point))
    const next = ready.find(({ task }) => task === current)
    const hurried = next !== undefined || ready.some(({ due }) => due === undefined)
    const others: Option[] = ready
      .filter((point) => point !== next)
      .sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
      .map((point) => ({ point, preempts: next !== undefined || (hurried && point.due !== undefined) }))
      .filter(({ preempts }) => !preempts || used.preemptions < bounds.preemptions)
    if (!next) return others
    const crash = next.crash && used.crashes < bounds.crashes ? [{ point: next, crash: true }] : []
    return [{ point: next }, ...others, ...crash]
  }
  const choose = (from: readonly Option[]): Option => {
    const [only] = from
    if (only && from.length === 1) return only
    const { choice, of = from.length } = plan[taken.length] ?? { choice: 0 }
    const option = from[choice]
    if (!option || of !== from.length) throw new Error('the scenario is not the same every time')
    taken.push({ choice, of })
    return option
  }
  const take = ({ point, crash, preempts }: Option) => {
    const { member, name, timer } = point.task
    trace.push(`${member.name}: ${crash ? 'CRASH before ' : ''}${name}: ${point.label}`)
    points = points.filter((each) => (crash ? each.task.member !== member : each !== point))
    current = crash ? undefined : point.task
    if (preempts) used.preemptions++
    if (!timer) stirs++
    member.learn(crash ? 'crashes' : `${name} does: ${point.label}`)
    if (!crash) return point.go()
    used.crashes++
    member.crashed.abort('crashed')
    start(`${member.name}'`, member.boot)
  }
  const isKnown = (shared: string) => {
    const histories = members.map(({ name, history }) => `${name} ${history}`).sort()
    const asleep = points.filter((point) => point.due !== undefined && !isAwake(point)).map(placeOf)
    return states.known([...histories, current?.member.name, current?.name, ...asleep].join(), shared, used)
  }
  const stuck = () =>
    members
      .filter(({ crashed }) => !crashed.signal.aborted)
      .flatMap(({ name, unfinished }) => [...unfinished].map((task) => `${name}: ${task}`))

  const follow = async (): Promise<End> => {
    const checks = await scenario(start)
    for (let steps = 0; steps < STEPS_MAX; steps++) {
      await (checks.settled?.() ?? new Promise((resolve) => setImmediate(resolve)))
      if (failures.length > 0) throw failures[0]
      checks.always()
      const open = options()
      if (open.length === 0) {
        if (taken.length < plan.length) throw new Error('the scenario is not the same every time')
        if (stuck().length > 0) throw new Error(`can never go on: ${stuck().join(', ')}`)
        await checks.atRest()
        return 'rest'
      }
      if (taken.length >= plan.length && isKnown(checks.shared())) return 'known'
      take(choose(open))
    }
    throw new Error(`no rest after ${STEPS_MAX} steps`)
  }
  const run = async (): Promise<End> => {
    try {
      return await follow()
    } catch (wrong) {
      return { wrong, trace }
    } finally {
      // What still waits holds on to signals, and they to all the rest.
      for (const { crashed } of members) crashed.abort('over')
    }
  }
  return { run, taken }
}

/** Timers of one process go off in the order in which they are due; anything else goes on by itself. */
const isNext = (awake: readonly Point[], point: Point): boolean => {
  if (point.due === undefined) return true
  const timers = awake.filter(({ task, due }) => due !== undefined && task.member === point.task.member)
  return timers.reduce((first, each) => (Number(each.due) < Number(first.due) ? each : first)) === point
}

const isAwake = (point: Point): boolean => point.ready?.() ?? true

const placeOf = ({ task, label }: Point) => `${task.member.name} ${task.name} ${label}`
