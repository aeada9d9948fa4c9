import type { LogLine } from '../../adapters/store/base/log-line.ts'

/** A line without what it says as an object, which only some of those have who make lines. */
export const plainLine = ({ parsed: _, ...line }: LogLine): Omit<LogLine, 'parsed'> => line
