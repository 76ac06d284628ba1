import { expect, test } from 'vitest'
import { Turns } from '../../../src/shared/concurrency/turns.ts'

test('lets the next one begin when one has ended, in their order', async () => {
  const turns = new Turns({ atOnce: 1, longMs: 60_000 })
  const order: string[] = []
  const first = await turns.take()
  const others = ['second', 'third'].map(async (name) => {
    using _turn = await turns.take()
    order.push(name)
  })

  order.push('first')
  first[Symbol.dispose]()
  first[Symbol.dispose]()
  await Promise.all(others)

  expect(order).toEqual(['first', 'second', 'third'])
})

test('lets the next one begin when one takes long, and no more when that ends', async () => {
  const turns = new Turns({ atOnce: 1, longMs: 10 })
  const stuck = await turns.take()

  const second = await turns.take()
  stuck[Symbol.dispose]()
  let isThird = false
  const third = turns.take().then(() => (isThird = true))
  await Promise.resolve()

  expect(isThird).toBe(false)
  second[Symbol.dispose]()
  await third
})
