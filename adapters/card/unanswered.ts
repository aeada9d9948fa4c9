import { Refusal, refuse } from '../../domain/kernel/refusal.ts'

/** The refusal when the processor gave no usable answer, which may pass. */

export const silenceRefusal = (cause: unknown): Refusal =>
  new Refusal('unavailable', 'The card processor does not answer right now. Try again in a moment.', cause)

export const refuseNonsense = (): never =>
  refuse('unavailable', 'The card processor answers what makes no sense. Try again in a moment.')
