import { expect, test } from 'vitest'
import { Channel } from '../../../../src/drivers/kubernetes/logs/channel.ts'

test('hands over the values of all writers, in order', async () => {
  const channel = new Channel<number>()
  const read: number[] = []
  const writing = Promise.all([1, 2, 3].map((value) => channel.put(value))).then(() =>
    channel.close(),
  )

  for await (const value of channel.read()) {
    read.push(value)
  }
  await writing

  expect(read).toEqual([1, 2, 3])
})

test('holds a writer up until its value was taken', async () => {
  const channel = new Channel<number>()
  const events: string[] = []
  const writing = channel.put(1).then(() => events.push('taken'))
  events.push('written')
  const reader = channel.read()

  await reader.next()
  await writing

  expect(events).toEqual(['written', 'taken'])
})

test('lets writers go when nobody reads any more', async () => {
  const channel = new Channel<number>()
  const writing = channel.put(1)

  channel.close()

  await writing
  await channel.put(2)
  expect(await Array.fromAsync(channel.read())).toEqual([])
})
