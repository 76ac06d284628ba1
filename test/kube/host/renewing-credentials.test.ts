import { expect, test } from 'vitest'
import type { LoadedCredentials } from '../../../src/kube/host/renewing-credentials.ts'
import { renewingCredentials } from '../../../src/kube/host/renewing-credentials.ts'
import { loginNeeded } from '../../../src/kube/kube-error.ts'

test('stays with its credentials as long as the kubeconfig is the same', async () => {
  const loaded = credentials('a', { isRenewed: false })
  const source = renewingCredentials(loaded, () => Promise.resolve(credentials('a')))

  expect(await source.renew(await source.current())).toBe(false)
  expect(await source.current()).toBe(await loaded.source.current())
})

test('lets its credentials renew themselves', async () => {
  const loaded = credentials('a', { isRenewed: true })
  const source = renewingCredentials(loaded, () => Promise.resolve(credentials('a')))

  expect(await source.renew({})).toBe(true)
})

test('takes those of the new kubeconfig, for the error as well', async () => {
  const source = renewingCredentials(credentials('a'), () => Promise.resolve(credentials('b')))
  const refusal = loginNeeded('no')

  expect(source.denial(refusal).message).toBe('a: no')
  expect(await source.renew(await source.current())).toBe(true)
  expect(await source.current()).toEqual({ authorization: 'Bearer b' })
  expect(source.denial(refusal).message).toBe('b: no')
})

test('takes none that are for another server', async () => {
  const source = renewingCredentials(credentials('a'), () => Promise.resolve(undefined))

  expect(await source.renew({})).toBe(false)
  expect(await source.current()).toEqual({ authorization: 'Bearer a' })
})

test('fails as the kubeconfig does when it can no longer be read', async () => {
  const source = renewingCredentials(credentials('a'), () => Promise.reject(new Error('no YAML')))

  await expect(source.renew({})).rejects.toThrow('no YAML')
  expect(await source.current()).toEqual({ authorization: 'Bearer a' })
})

function credentials(text: string, { isRenewed = false } = {}): LoadedCredentials {
  const credential = { authorization: `Bearer ${text}` }
  return {
    text,
    source: {
      current: () => Promise.resolve(credential),
      renew: () => Promise.resolve(isRenewed),
      denial: ({ message }) => loginNeeded(`${text}: ${message}`),
    },
  }
}
