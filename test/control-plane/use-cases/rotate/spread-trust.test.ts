import { expect, test } from 'vitest'
import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'
import { spreadTrust } from '../../../../src/control-plane/use-cases/rotate/spread-trust.ts'

const { signal } = new AbortController()
const OPTIONS = { certificateAuthority: 'new', timeoutMs: 2000, signal }

test('waits until every namespace has the CAs of now', async () => {
  const answers = [
    ['old', 'old'],
    ['new', 'old'],
    ['new', 'new'],
  ]
  const { api, calls } = apiWith(() => answers.shift() ?? [])

  await spreadTrust(api, { ...OPTIONS, isNarrower: false })

  expect(answers).toEqual([])
  expect(calls).toEqual(['get', 'get', 'get'])
})

test('makes kube-apiserver drop the old CAs that it published', async () => {
  const { api, calls } = apiWith(() => ['new'])

  await spreadTrust(api, { ...OPTIONS, isNarrower: true })

  expect(calls).toEqual(['delete extension-apiserver-authentication', 'get'])
})

test('reports what is missing', async () => {
  const { api } = apiWith(() => ['old'])

  const waiting = spreadTrust(api, { ...OPTIONS, isNarrower: false, timeoutMs: 20 })

  await expect(waiting).rejects.toMatchObject({
    code: 'TIMED_OUT',
    message: expect.stringContaining('kube-root-ca.crt'),
  })
})

/** An API whose namespaces have these CAs, one look after the other. */
function apiWith(look: () => string[]) {
  const calls: string[] = []
  const get = (): Promise<KubeObject> => {
    calls.push('get')
    const items = look().map((text) => ({ data: { 'ca.crt': text } }))
    return Promise.resolve({ apiVersion: 'v1', kind: 'ConfigMapList', metadata: {}, items })
  }
  const forget = (path: string): Promise<boolean> => {
    calls.push(`delete ${path.split('/').at(-1)}`)
    return Promise.resolve(true)
  }
  return { calls, api: { get, delete: forget } }
}
