import { setTimeout as pause } from 'node:timers/promises'
import test from 'ava'
import { Broken, explore, replay, sample } from '../support/explore.ts'
import { type Bounds, type Process, type Scenario, step } from './schedule.ts'
import './virtual-time.ts'

/** The explorer itself: it runs every schedule within its bounds, once, and finds what breaks in one of them alone. */

const bounds = (preemptions: number, crashes = 0): Bounds => ({ preemptions, crashes })
const peace = { shared: () => '', always() {}, atRest() {} }

test('every order of steps within the bound on preemptions is run, and none twice', async (t) => {
  // Two tasks of three steps each: 2 orders without a preemption, 4 more with one, 20 in all.
  for (const [preemptions, orders] of [
    [0, 2],
    [1, 6],
    [2, 14],
    [3, 18],
    [4, 20],
  ] as const) {
    const seen: string[] = []
    const { schedules, known } = await explore(inOrder(seen), bounds(preemptions))
    t.deepEqual([seen.length, new Set(seen).size, schedules, known], [orders, orders, orders, 0])
  }
})

test('with a stride some of the orders are run, and none twice', async (t) => {
  const seen: string[] = []
  const { schedules } = await explore(inOrder(seen), bounds(4), 3)
  t.deepEqual([seen.length, new Set(seen).size], [schedules, schedules])
  t.true(schedules > 1 && schedules < 10, String(schedules))
})

test('of drawn orders none is run twice, all are run where so many may be, and what breaks in one is found', async (t) => {
  for (const [most, orders] of [
    [7, 7],
    [100, 20],
  ] as const) {
    const seen: string[] = []
    const { schedules } = await sample(inOrder(seen), bounds(4), most)
    t.deepEqual([seen.length, new Set(seen).size, schedules], [orders, orders, orders])
  }
  await t.throwsAsync(sample(losingOne, bounds(1), 100), { instanceOf: Broken, message: /^one of two was lost: 1/ })
})

test('what follows from one and the same state is explored once, and no end is missed', async (t) => {
  const ends = new Set<string>()
  const { schedules, known } = await explore(adding(ends), bounds(4))
  // Each of two adds 1 to what it has read: one of them is lost, or none.
  t.deepEqual([...ends].sort(), ['1', '2'])
  t.true(known > 0 && schedules < 20, `${schedules} schedules, ${known} known`)
})

test('a break is told with its steps, and its choices run the same schedule again', async (t) => {
  const broken = await t.throwsAsync(explore(losingOne, bounds(1)), {
    instanceOf: Broken,
    message: /^one of two was lost: 1/,
  })
  t.regex(String(broken?.message), /\n {2}B: adds: read 0\n(.*\n)* {2}A: adds: read 0\n(.*\n)* {2}choices: [\d,]+$/)
  t.true(Number(broken?.schedules) > 1)
  const again = await t.throwsAsync(replay(losingOne, bounds(1), broken?.choices ?? []), { instanceOf: Broken })
  t.is(again?.message, broken?.message)
  await t.notThrowsAsync(explore(losingOne, bounds(0)))
  await t.notThrowsAsync(replay(losingOne, bounds(1), []))
})

test('tasks that wait for each other for ever are a break, and not a rest', async (t) => {
  const scenario: Scenario = (start) => {
    const held = new Set<string>()
    const take = async (lock: string) => {
      await step(`takes ${lock}`, { ready: () => !held.has(lock) })
      held.add(lock)
    }
    const both = (first: string, second: string) => (self: Process) =>
      self.task('takes both', async () => {
        await take(first)
        await take(second)
        held.clear()
      })
    start('A', both('x', 'y'))
    start('B', both('y', 'x'))
    return { ...peace, shared: () => [...held].join() }
  }
  await t.throwsAsync(explore(scenario, bounds(1)), { message: /^can never go on: A: takes both, B: takes both/ })
  await t.notThrowsAsync(explore(scenario, bounds(0)))
})

test('a schedule that runs in a circle is a break', async (t) => {
  const scenario: Scenario = (start) => {
    start('A', (self) =>
      self.follow('runs', async () => {
        for (;;) await step('again')
      }),
    )
    return peace
  }
  await t.throwsAsync(explore(scenario, bounds(0)), { message: /^no rest after 2000 steps/ })
})

test('a crash loses the memory of its process alone, at every step that may be cut, and starts it again', async (t) => {
  const ends = new Set<string>()
  const scenario: Scenario = (start) => {
    const disk: string[] = []
    start('A', (self) =>
      self.task('writes', async () => {
        let memory = ''
        for (const each of ['1', '2']) {
          memory += each
          await step(`writes ${memory}`, { crash: true })
          disk.push(memory)
        }
      }),
    )
    start('B', (self) => self.task('writes', () => step('writes b').then(() => void disk.push('b'))))
    return {
      ...peace,
      shared: () => disk.join(),
      atRest: () => void ends.add(disk.filter((each) => each !== 'b').join(' ')),
    }
  }
  await explore(scenario, bounds(0, 0))
  t.deepEqual([...ends], ['1 12'])
  await explore(scenario, bounds(0, 1))
  t.deepEqual([...ends].sort(), ['1 1 12', '1 12'])
  await explore(scenario, bounds(0, 2))
  t.deepEqual([...ends].sort(), ['1 1 1 12', '1 1 12', '1 12'])
})

test('time may pass at any moment, timers of one process go off in their order, and one that was called off does not', async (t) => {
  const ends = new Set<string>()
  const scenario: Scenario = (start) => {
    const told: string[] = []
    start('A', (self) =>
      self.task('waits', async () => {
        setTimeout(() => told.push('late'), 200)
        setTimeout(() => told.push('early'), 100)
        const never = setTimeout(() => told.push('never'), 50)
        await step('works')
        clearTimeout(never)
        told.push('worked')
        await pause(300)
        told.push('waited')
      }),
    )
    return { ...peace, shared: () => told.join(), atRest: () => void ends.add(told.join(' ')) }
  }
  await explore(scenario, bounds(0))
  t.deepEqual([...ends], ['worked early late waited'])
  await explore(scenario, bounds(3))
  t.deepEqual([...ends].sort(), [
    'never early late worked waited',
    'never early worked late waited',
    'never worked early late waited',
    'worked early late waited',
  ])
})

test('an interval goes off once more after anything has happened, and lets a schedule come to rest', async (t) => {
  const ends = new Set<string>()
  const scenario: Scenario = (start) => {
    const told: string[] = []
    start('A', (self) => self.follow('looks', async () => void setInterval(() => told.push('look'), 1_000)))
    start('B', (self) => self.task('works', () => step('works').then(() => void told.push('work'))))
    return { ...peace, shared: () => told.join(), atRest: () => void ends.add(told.join(' ')) }
  }
  await explore(scenario, bounds(0))
  t.deepEqual([...ends], ['work look'])
  await explore(scenario, bounds(1))
  t.deepEqual([...ends].sort(), ['look work look', 'work look'])
})

test('a scenario that is not the same every time is refused, and what fails in a task is a break', async (t) => {
  let times = 0
  const changing: Scenario = (start) => {
    times++
    for (const name of ['A', 'B', 'C'].slice(0, times > 1 ? 2 : 3))
      start(name, (self) => self.task('ends', async () => {}))
    return peace
  }
  await t.throwsAsync(explore(changing, bounds(0)), { message: /^the scenario is not the same every time/ })
  const failing: Scenario = (start) => {
    start('A', (self) => self.task('fails', () => Promise.reject(new Error('no room'))))
    return peace
  }
  await t.throwsAsync(explore(failing, bounds(0)), { message: /^no room\n {2}A: fails: starts/ })
})

/** Notes the order in which two tasks come to their ends of steps; no two orders count as the same state. */
const inOrder =
  (seen: string[]): Scenario =>
  (start) => {
    let order = ''
    for (const name of ['A', 'B'])
      start(name, (self) =>
        self.task('steps', async () => {
          for (let n = 0; n < 3; n++) {
            order += name
            if (n < 2) await step('next')
          }
        }),
      )
    return { ...peace, shared: () => order, atRest: () => void seen.push(order) }
  }

const adding =
  (ends: Set<string>): Scenario =>
  (start) => {
    const { value, ...checks } = counter(start)
    return { ...checks, atRest: () => void ends.add(String(value())) }
  }

/** Has both of them count. */
const losingOne: Scenario = (start) => {
  const { shared, always, value } = counter(start)
  const atRest = () => {
    if (value() !== 2) throw new Error(`one of two was lost: ${value()}`)
  }
  return { shared, always, atRest }
}

/** Two processes read a number and write back one more. */
const counter = (start: Parameters<Scenario>[0]) => {
  let number = 0
  for (const name of ['A', 'B'])
    start(name, (self) =>
      self.task('adds', async () => {
        const read = number
        await step(`read ${read}`)
        number = read + 1
        await step('wrote')
      }),
    )
  return { ...peace, shared: () => String(number), value: () => number }
}
