import { expect, test } from 'vitest'
import { inBatches, type KineRow } from '../../../src/database/dialect/kine-row.ts'

test('groups rows by their number, and by the bytes that a statement may have', async () => {
  const small = Array.from({ length: 1201 }, (_, id) => rowOf(id, 1))
  const large = [rowOf(1, 10), rowOf(2, 1_500_000), rowOf(3, 10)]

  expect(await sizesOf(small)).toEqual([500, 500, 201])
  expect(await sizesOf(large)).toEqual([2, 1])
  expect(await sizesOf([])).toEqual([])
})

function rowOf(id: number, bytes: number): KineRow {
  return { id, name: '/a', prevRevision: 0, lease: 0, value: Buffer.alloc(bytes) }
}

async function sizesOf(rows: readonly KineRow[]): Promise<number[]> {
  const all = (async function* () {
    yield* rows
  })()
  return (await Array.fromAsync(inBatches(all))).map(({ length }) => length)
}
