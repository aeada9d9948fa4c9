/**
 * Loaded before a program (`node --import`): its wall clock is off by what a file says, read at the start and at every
 * SIGUSR2.
 */
import { readFileSync } from 'node:fs'

const RealDate = globalThis.Date
const file = process.env.FAULTS_CLOCK ?? ''
let offMs = 0

const look = () => {
  offMs = Number(readFileSync(file, 'utf8'))
}

class ShiftedDate extends RealDate {
  constructor(...given: [] | ConstructorParameters<DateConstructor>) {
    super(...((given.length === 0 ? [ShiftedDate.now()] : given) as [number]))
  }
  static override now(): number {
    return RealDate.now() + offMs
  }
}

look()
globalThis.Date = ShiftedDate as DateConstructor
process.on('SIGUSR2', look)
