import { expect, test } from 'vitest'
import { DEFAULT_KUBERNETES_VERSION } from '../../src/control-plane/spec/kubernetes-version.ts'
import { randomNumbers } from '../support/random-numbers.ts'
import { fieldsOfVersion } from '../syncer/fields/fields-of-version.ts'
import { randomFields, withFields, withoutInvalid } from './random-objects.ts'

const prey = { namespaces: ['other'], names: ['ca'], addresses: ['10.0.0.1'], nodes: ['node'] }

const OWN = { name: 'debug', image: 'node' }

/** Pods that a seed makes. */
function pods(seed: number): object[] {
  const random = randomNumbers(seed)
  const options = { fields: fieldsOfVersion(DEFAULT_KUBERNETES_VERSION), prey, random }
  const base = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { nodeName: 'own' } }
  return Array.from({ length: 400 }, () => withFields(base, randomFields('Pod', options)))
}

test('are the same ones for the same seed, and others for another one', () => {
  expect(pods(1)).toEqual(pods(1))
  expect(pods(1)).not.toEqual(pods(2))
})

test('have fields of all parts of a kind, and keep what they have already', () => {
  const text = JSON.stringify(pods(1))

  for (const part of ['hostPath', 'securityContext', 'labels', 'initContainers', 'affinity']) {
    expect(text).toContain(`"${part}"`)
  }
  expect(text).not.toContain('"nodeName":"node"')
  expect(text).not.toContain('"status"')
})

test('have fields of their ephemeral containers in a request of its own', () => {
  const random = randomNumbers(1)
  const options = { fields: fieldsOfVersion(DEFAULT_KUBERNETES_VERSION), prey, random }
  const fields = Array.from({ length: 50 }, () =>
    randomFields('Pod', options, 'ephemeralContainers'),
  )
  const base = { apiVersion: '', kind: '', metadata: {}, spec: { ephemeralContainers: [OWN] } }
  const made = fields.map((one) => withFields(base, one))

  expect(JSON.stringify(pods(1))).not.toContain('ephemeralContainers')
  expect(fields.flat().map(([[path]]) => path)).toContainEqual(
    expect.stringMatching(/securityContext/),
  )
  expect(made.filter(({ spec }) => Object(spec).ephemeralContainers[0].name !== OWN.name)).toEqual(
    [],
  )
})

test('lose the fields that an API refuses, or all when it does not say which', () => {
  const fields = [
    [['spec.containers[].image', 'string'], 'x'],
    [['spec.hostIPC', 'boolean'], true],
  ] as const

  expect(withoutInvalid(fields, ['spec.containers[0].image'])).toEqual([fields[1]])
  expect(withoutInvalid(fields, ['spec'])).toEqual([])
  expect(withoutInvalid(fields, [])).toEqual([])
})
