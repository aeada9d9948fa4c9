import { createHash } from 'node:crypto'

/** The subjects that have a key, in eight bytes each: a ledger may have millions. */
export type SubjectSet = {
  add(subject: string): void
  /** Asked once all were added. A subject that was not added passes once in some trillions. */
  has(subject: string): boolean
}

export const subjectSet = (): SubjectSet => {
  let marks = new BigUint64Array(1_024)
  let size = 0
  let isSorted = true
  const sorted = (): BigUint64Array => {
    if (!isSorted) marks.subarray(0, size).sort()
    isSorted = true
    return marks.subarray(0, size)
  }
  return {
    add(subject) {
      if (size === marks.length) {
        const more = new BigUint64Array(size * 2)
        more.set(marks)
        marks = more
      }
      marks[size++] = markOf(subject)
      isSorted = false
    },
    has(subject) {
      const [all, wanted] = [sorted(), markOf(subject)]
      let [low, high] = [0, all.length]
      while (low < high) {
        const middle = (low + high) >>> 1
        if ((all[middle] ?? 0n) < wanted) low = middle + 1
        else high = middle
      }
      return all[low] === wanted
    },
  }
}

const markOf = (subject: string): bigint => createHash('sha256').update(subject).digest().readBigUInt64BE()
