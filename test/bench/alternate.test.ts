import { expect, test } from 'vitest'
import { alternate } from '../../bench/alternate.ts'

test('measures by turns, in the other order every second round', async () => {
  const order: string[] = []
  const measure = (name: string) => (round: number) => {
    order.push(`${name}${round}`)
    return Promise.resolve(round)
  }

  const samples = await alternate(3, { a: measure('a'), b: measure('b') })

  expect(order).toEqual(['a0', 'b0', 'b1', 'a1', 'a2', 'b2'])
  expect(samples).toEqual({ a: [0, 1, 2], b: [0, 1, 2] })
})

test('ends at the first that fails', async () => {
  const measuring = alternate(3, {
    a: () => Promise.reject(new Error('no plane')),
    b: () => Promise.resolve(1),
  })

  await expect(measuring).rejects.toThrow('no plane')
})
