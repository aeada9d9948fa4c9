/** The id in a stream's name: all after the first dash. */
export const idOf = (stream: string): string => stream.slice(stream.indexOf('-') + 1)
