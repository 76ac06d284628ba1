import { expect, test } from 'vitest'
import { Paced } from '../../../../src/drivers/kubernetes/workloads/paced.ts'
import { waitFor } from '../../../../src/shared/wait.ts'

const SOON = { what: 'another look', timeoutMs: 2000, intervalMs: 1 }

test('answers all who ask while it looks, and shortly after, from one look', async () => {
  const paced = new Paced<number>(60_000)
  let looks = 0
  const look = () => Promise.resolve((looks += 1))

  const answers = await Promise.all([paced.ask(look), paced.ask(look)])
  answers.push(await paced.ask(look))

  expect(answers).toEqual([1, 1, 1])
})

test('looks again when the last look is old', async () => {
  const paced = new Paced<number>(1)
  let looks = 0
  const look = () => Promise.resolve((looks += 1))
  await paced.ask(look)

  expect(await waitFor(async () => (await paced.ask(look)) > 1, SOON)).toBe(true)
})

test('hands a failure to all who ask', async () => {
  const paced = new Paced<string>(60_000)

  await expect(paced.ask(() => Promise.reject(new Error('ended')))).rejects.toThrow('ended')
  await expect(paced.ask(() => Promise.resolve('fine'))).rejects.toThrow('ended')
})

test('forgets a failure as it forgets an answer', async () => {
  const paced = new Paced<string>(1)
  await expect(paced.ask(() => Promise.reject(new Error('ended')))).rejects.toThrow('ended')

  await waitFor(() => paced.ask(() => Promise.resolve('fine')).catch(() => undefined), SOON)
})
