import { expect, test } from 'vitest'
import { createEtcdPki } from '../../../src/pki/plane/etcd-pki.ts'
import { planeManifests } from '../../../src/manifests/render/plane-manifests.ts'
import { renderManifests } from '../../../src/manifests/render/render-manifests.ts'
import { parseYamlDocuments } from '../../../src/shared/yaml/yaml.ts'
import { manifestInputOf } from '../manifest-input-of.ts'

const objects = planeManifests(manifestInputOf({ preset: 'ha' }))

test('shows exactly what is applied', () => {
  const { leftOut, text } = renderManifests(objects, { secrets: 'show' })

  expect(parseYamlDocuments(text, 'rendered')).toEqual(objects)
  expect(leftOut).toEqual([])
})

test('leaves Secrets with keys out, names them in a comment, and prints all else as it is', () => {
  const pki = createEtcdPki({ algorithm: 'ecdsa', now: new Date(), memberSans: [] })
  const all = planeManifests(manifestInputOf({}, { files: pki }))

  const { leftOut, text } = renderManifests(all, { secrets: 'omit' })

  expect(leftOut.map(({ metadata }) => metadata.name)).toContain('vplane-dev-ca')
  expect(text).toMatch(
    /^# These Secrets contain keys and are left out:\n(#   vplane-dev-[\w-]+\n)+apiVersion/,
  )
  expect(text).toContain('#   vplane-dev-ca\n')
  expect(parseYamlDocuments(text, 'rendered')).toEqual(all.filter(({ kind }) => kind !== 'Secret'))
})

test('leaves a Secret out that has its contents as text, and none that has no contents', () => {
  const secret = (name: string, fields: object) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'team', labels: {} },
    ...fields,
  })
  const empty = secret('token', { type: 'kubernetes.io/service-account-token' })
  const secrets = [secret('own', { stringData: { key: 'private' } }), empty]

  const { text } = renderManifests(secrets, { secrets: 'omit' })

  expect(text).toContain('#   own\n')
  expect(parseYamlDocuments(text, 'rendered')).toEqual([empty])
})

test('has no comment where nothing is left out', () => {
  const services = objects.filter(({ kind }) => kind === 'Service')

  expect(renderManifests(services, { secrets: 'omit' }).text).toMatch(/^apiVersion/)
})

test('prints a List in JSON, which has no comments, and tells what is left out', () => {
  const { leftOut, text } = renderManifests(objects, { secrets: 'omit', format: 'json' })

  const { items, kind } = JSON.parse(text)
  expect(kind).toBe('List')
  expect(items).toEqual(objects.filter((object) => !leftOut.includes(object)))
})

test('is the same text for the same plane', () => {
  const again = planeManifests(manifestInputOf({ preset: 'ha' }))

  expect(renderManifests(again, { secrets: 'show' })).toEqual(
    renderManifests(objects, { secrets: 'show' }),
  )
})
