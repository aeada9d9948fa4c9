/**
 * The store no longer shows a whole stream: it was cut, deleted, or took an append at another place than it was sent
 * to. Nothing may be decided on what is left of it.
 */
export class StreamCut extends Error {
  override readonly name = 'StreamCut'
  readonly stream: string

  /** `how` goes on after the name of the stream, such as "begins at revision 3". */
  constructor(stream: string, how: string, options?: ErrorOptions) {
    super(`the stream ${stream} ${how}`, options)
    this.stream = stream
  }
}
