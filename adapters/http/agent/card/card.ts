import { cardHookEndpoints } from './card-hook.ts'
import { cardProcessorEndpoints } from './card-processor.ts'

/** The card rail of a seller: its processor, and what that reports. */
export const cardEndpoints = [...cardProcessorEndpoints, ...cardHookEndpoints]
