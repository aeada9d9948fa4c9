import test from 'ava'
import { localArtist } from '../../adapters/studio/artist.ts'
import type { Artist } from '../../domain/game/studio/artist.ts'
import { drawStudioWorks } from '../../domain/reactions/effects/draw-studio-works.ts'
import { finishStudioJobs } from '../../domain/reactions/policies/game.ts'
import { ledgerOn } from '../support/ledger.ts'
import { memoryStore } from '../support/memory-store.ts'
import { openVault } from '../support/open-vault.ts'
import { checkStudio, orderOn, quoteOn, studioMember, unitsIn } from '../support/studio.ts'
import { fixedWorld } from '../support/world.ts'
import { countOf } from './books.ts'
import { createMachine, createOutside, loseLease, watched } from './machine.ts'
import { holds } from './proving.ts'
import type { Scenario } from './schedule.ts'

/** One quote that is ordered twice at once, in two processes that may die anywhere. */

const UNITS = 100
const GRANT = 30
const CRASH = { preemptions: 0, crashes: 1 }
const PREEMPTION = { preemptions: 1, crashes: 0 }

const world = fixedWorld()
const given = await studioMember(UNITS, GRANT)
const { quote } = await quoteOn({ ledger: ledgerOn(given, world), world })
const toOrder = given.events()
const afterwards = memoryStore(toOrder)
await orderOn({ ledger: ledgerOn(afterwards, world), world }, quote)
const toDraw = afterwards.events()

/**
 * Two processes order by it. Without `retries` nobody asks again after a crash: what was begun is then for the policy.
 */
const ordering =
  (retries: boolean): Scenario =>
  (start) => {
    const outside = createOutside(toOrder)
    const asked = new Set<string>()
    for (const name of ['A', 'B'])
      start(name, (self) => {
        const machine = createMachine(self, outside, { store: watched(outside.store) })
        if (retries || !asked.has(name)) self.task('order', () => orderOn(machine, quote))
        asked.add(name)
        if (name === 'A') machine.run(finishStudioJobs)
      })
    const count = (type: string) => countOf(outside.store.events(), type)
    return {
      shared: outside.shared,
      always: () => checkStudio(outside.store.events(), UNITS),
      atRest() {
        const [paid, ordered] = [count('GameUnitsStaked'), count('StudioOrdered')]
        if (paid !== ordered || ordered > 1 || (retries && ordered === 0))
          throw new Error(`${ordered} ordered, ${paid} paid`)
      },
    }
  }

/** At any moment another process may take the lease of who has it drawn. */
const drawing =
  (draw: Artist['draw'], end: 'StudioJobDone' | 'StudioJobRefunded'): Scenario =>
  (start) => {
    const outside = createOutside(toDraw)
    const context = { vault: openVault(world), artist: { draw } }
    for (const name of ['A', 'B']) start(name, (self) => createMachine(self, outside).run(drawStudioWorks, context))
    loseLease(start, outside, drawStudioWorks.name, 'A')
    return {
      shared: outside.shared,
      always: () => checkStudio(outside.store.events(), UNITS),
      atRest() {
        const ends = ['StudioJobDone', 'StudioJobRefunded'].flatMap((type) =>
          Array(countOf(outside.store.events(), type)).fill(type),
        )
        const held = [...unitsIn(outside.store.events())].filter(([account]) => account.startsWith('studio:'))
        if (ends.join() !== end || held.some(([, units]) => units !== 0n)) throw new Error(`${ends}, ${held} in escrow`)
      },
    }
  }

const hangs = () => new Promise<string>(() => {})

test('I-GAM-01 G-STU-02 two orders by one quote are one job that is paid once, wherever processes die', (t) =>
  holds(t, ordering(true), 100, PREEMPTION, CRASH))

test('I-GAM-01 G-STU-02 what was paid is ordered, also when nobody asks again after a crash', (t) =>
  holds(t, ordering(false), 50, CRASH))

test('I-GAM-01 G-STU-02 a work comes to one end, and its fee with it, wherever who has it drawn dies or is replaced', (t) =>
  holds(t, drawing(localArtist.draw, 'StudioJobDone'), 100, PREEMPTION, CRASH))

test('I-GAM-01 G-STU-02 a work that hangs is paid back once, wherever who has it drawn dies or is replaced', (t) =>
  holds(t, drawing(hangs, 'StudioJobRefunded'), 100, PREEMPTION, CRASH))
