import assert from 'node:assert/strict'
import test from 'ava'
import { fold } from '../../domain/kernel/decider.ts'
import { OutcomeUnknown } from '../../domain/kernel/ports.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'
import { deciders } from '../../domain/write-side/deciders.ts'
import type { CommandMessage, HomeAnswer, Homes } from '../../domain/write-side/homes.ts'
import { ACCOUNT, RES_ID } from '../domain/samples.ts'
import { ledgerOn } from '../support/ledger.ts'
import { memoryStore } from '../support/memory-store.ts'
import { fixedWorld } from '../support/world.ts'
import { createMachine, createOutside, type Machine } from './machine.ts'
import { found, holds } from './proving.ts'
import { type Process, type Scenario, type StartProcess, step } from './schedule.ts'

/**
 * Commands for a stream that several processes write to, handed over to its home: a command that is sent twice counts
 * twice, so nothing but the way it goes keeps it from being doubled.
 */

const PREEMPTION = { preemptions: 1, crashes: 0 }
const PREEMPTIONS = { preemptions: 2, crashes: 0 }
const CRASH = { preemptions: 0, crashes: 1 }
const BOTH = { preemptions: 1, crashes: 1 }

test('N-111 a command that is handed over counts once, whenever its answer, its home or its asker is lost', (t) =>
  holds(t, taking({ views: { A: 'B', B: 'B' }, pieces: 9 }), 400, PREEMPTIONS, CRASH, BOTH))

test('N-111 two processes that each take the other for the home write each command once', (t) =>
  holds(t, taking({ views: { A: 'B', B: 'A' }, pieces: 9 }), 400, PREEMPTION, CRASH))

test('N-111 a home that moves while commands are under way writes each of them once, beside one who asks nobody', (t) =>
  holds(t, taking({ views: { A: 'B', B: 'B', C: 'C' }, moves: { A: 'C', B: 'C' }, pieces: 9 }), 400, PREEMPTION))

test('N-111 the last piece is refused to one of two, on the newest state alone, whoever decides', (t) =>
  holds(t, taking({ views: { A: 'B', B: 'B' }, pieces: 1 }), 150, PREEMPTION, CRASH))

test('N-111 what was refused is not written later, when a home that was silent finds more pieces', (t) =>
  holds(t, taking({ views: { A: 'B', B: 'B' }, pieces: 0, brings: 'B' }), 100, PREEMPTION, CRASH))

test('a home that does not look for what its asker has written meanwhile is found out', (t) =>
  found(t, taking({ views: { A: 'B', B: 'B' }, pieces: 9, changed: careless }), /written twice/, PREEMPTIONS))

test('an asker who takes silence for a refusal to decide is found out', (t) =>
  found(t, taking({ views: { A: 'B', B: 'B' }, pieces: 9, heard: hopeful }), /written twice/, PREEMPTION))

type Views = Readonly<Record<string, string>>
type Options = {
  /** The home of the stream in the eyes of each process. */
  readonly views: Views
  /** What it is from some moment on. */
  readonly moves?: Views
  readonly pieces: number
  /** The process that brings a piece instead of taking one. */
  readonly brings?: string
  readonly changed?: (message: CommandMessage) => CommandMessage
  readonly heard?: (answer: Promise<HomeAnswer>) => Promise<HomeAnswer>
}

const STREAM = `stock-${RES_ID}`

/** Each process takes one piece of a product. */
const taking =
  ({ pieces, brings, ...options }: Options): Scenario =>
  async (start) => {
    const store = memoryStore()
    const counted = { accountId: ACCOUNT, by: 'k', reason: 'counted', count: pieces } as const
    await ledgerOn(store, fixedWorld('given')).stock.change(RES_ID, counted)
    const outside = createOutside(store.events())
    const hall = createHall(start, options)
    const sent: string[] = []
    const ends: string[] = []
    for (const name of Object.keys(options.views))
      start(name, (self) => {
        const machine = createMachine(self, outside, { homes: hall.homesOf(name) })
        hall.enter(name, self, machine)
        machine.doors.contended(STREAM, 0n)
        self.task('takes a piece', async () => {
          sent.push(self.name)
          const delta = name === brings ? 1 : -1
          const change = { accountId: ACCOUNT, by: self.name, reason: 'counted', delta } as const
          const end = await machine.ledger.stock.change(RES_ID, change).then(() => 'took', refused)
          ends.push(`${self.name} ${end}`)
        })
      })
    const written = () => outside.store.events().slice(1)
    const authors = () => written().map(({ data }) => (data as { by: string }).by)
    return {
      shared: () => [outside.shared(), hall.shared(), ...sent, '|', ...ends].join(),
      always() {
        const by = authors()
        assert.equal(new Set(by).size, by.length, `written twice: ${by}`)
        for (const end of ends.filter((each) => each.endsWith(' took')))
          assert.ok(by.includes(end.replace(' took', '')), `acknowledged and not written: ${end}`)
        for (const end of ends.filter((each) => each.endsWith(FORBIDDEN)))
          assert.ok(!by.includes(end.replace(FORBIDDEN, '')), `refused and written: ${end}`)
      },
      atRest() {
        const { count } = fold(deciders.stock, outside.store.events())
        const brought = authors().filter((by) => brings !== undefined && by.startsWith(brings)).length
        assert.equal(count, pieces - written().length + 2 * brought)
        // A process that was asked and died may have left what its home was to write.
        const refusals = ends.filter((each) => each.endsWith(FORBIDDEN)).length
        if (refusals > 0 && brings === undefined) assert.equal(count, 0, 'refused although a piece was left')
        assert.ok(written().length + refusals <= sent.length)
      },
    }
  }

const FORBIDDEN = ' state-forbids'

const refused = (error: unknown) => {
  if (error instanceof Refusal) return error.code
  // What may be written yet is not refused.
  if (error instanceof OutcomeUnknown) return 'unknown'
  throw error
}

/** The connections between processes: what is sent goes its own way, and may come late or never. */
const createHall = (
  start: StartProcess,
  { views, moves, changed = (same) => same, heard = (same) => same }: Omit<Options, 'pieces'>,
) => {
  const present = new Map<string, { self: Process; machine: Machine }>()
  let now = views
  let messages = 0
  let network: Process | undefined
  start('network', (self) => {
    network = self
  })
  if (moves)
    start('presence', (self) =>
      self.task('moves the home', async () => {
        await step('moves the home')
        now = moves
      }),
    )
  const send = (home: string, message: CommandMessage): Promise<HomeAnswer> => {
    const number = ++messages
    const answer = Promise.withResolvers<HomeAnswer>()
    answer.promise.catch(() => {})
    const limit = setTimeout(() => answer.reject(new OutcomeUnknown('no answer in time')), 250)
    // Who is restarted has new connections, so this one ends with the process that it led to.
    const there = present.get(home)
    network?.follow(`message ${number}`, async () => {
      await step(`message ${number} comes to ${home}`)
      there?.self.follow(`decides ${number}`, async () => {
        if (there.self.crashed.aborted) return
        const reply = await there.machine.doors.decide(changed(message)).catch(() => undefined)
        network?.follow(`answer ${number}`, async () => {
          await step(`answer ${number} comes: ${reply?.outcome}`)
          if (reply) answer.resolve(reply)
          else answer.reject(new OutcomeUnknown('the home failed'))
        })
      })
    })
    return heard(answer.promise.finally(() => clearTimeout(limit)))
  }
  return {
    enter: (name: string, self: Process, machine: Machine) => void present.set(name, { self, machine }),
    homesOf: (name: string): Homes => ({
      handOver(message) {
        const home = now[name] ?? name
        return home === name || !present.has(home) ? undefined : send(home, message)
      },
      contended() {},
    }),
    shared: () => JSON.stringify(now),
  }
}

/** As if nothing could have been written since the command was sent. */
const careless = (message: CommandMessage): CommandMessage => ({ ...message, after: 1_000n })

/** As if a home that says nothing would do nothing. */
const hopeful = (answer: Promise<HomeAnswer>): Promise<HomeAnswer> =>
  answer.catch(() => ({ outcome: 'declined' }) as const)
