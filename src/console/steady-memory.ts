import { setFlagsFromString } from 'node:v8'

/**
 * Keeps the room for new objects as it is. V8 widens it while a process is busy, up to three times 32 MB, so that the
 * memory of a command seems to grow with its rows, and collects no later for that. For commands that go through any
 * number of rows, page by page.
 */
export const keepMemorySteady = (): void => setFlagsFromString('--semi-space-growth-factor=1')
