import { expect, test } from 'vitest'
import { waitUntilListed } from '../../../src/control-plane/install/wait-until-listed.ts'
import { crd } from '../../support/crd.ts'

const signal = new AbortController().signal

test('asks for each resource until its storage is there', async () => {
  const paths: string[] = []
  const busy = new Map([['/apis/example.com/v1/as', 2]])
  const text = (path: string) => {
    paths.push(path)
    const left = busy.get(path) ?? 0
    busy.set(path, left - 1)
    return Promise.resolve({ status: left > 0 ? 429 : 200, body: '' })
  }

  await waitUntilListed({ text }, [crd('as'), crd('bs')], { signal, timeoutMs: 5000 })

  expect(paths.filter((path) => path === '/apis/example.com/v1/as')).toHaveLength(3)
  expect(paths.filter((path) => path === '/apis/example.com/v1/bs')).toHaveLength(1)
})

test.for([200, 403, 404, 500])('leaves an answer of %d to whoever asks next', async (status) => {
  const text = () => Promise.resolve({ status, body: '' })

  await expect(
    waitUntilListed({ text }, [crd('as')], { signal, timeoutMs: 5000 }),
  ).resolves.toBeUndefined()
})

test('gives up in time, and says what is missing', async () => {
  const text = () => Promise.resolve({ status: 429, body: '' })

  const waiting = waitUntilListed({ text }, [crd('as')], { signal, timeoutMs: 50 })

  await expect(waiting).rejects.toMatchObject({
    code: 'TIMED_OUT',
    message: expect.stringContaining('"as"'),
  })
})
