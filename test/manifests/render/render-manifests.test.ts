import { expect, test } from 'vitest'
import { createEtcdPki } from '../../../src/pki/plane/etcd-pki.ts'
import { planeManifests } from '../../../src/manifests/render/plane-manifests.ts'
import { renderManifests } from '../../../src/manifests/render/render-manifests.ts'
import { parseYamlDocuments } from '../../../src/shared/yaml/yaml.ts'
import { manifestInputOf } from '../manifest-input-of.ts'

const objects = planeManifests(manifestInputOf({ preset: 'ha' }))

test('shows exactly what is applied', () => {
  const text = renderManifests(objects, { secrets: 'show' })

  expect(parseYamlDocuments(text, 'rendered')).toEqual(objects)
})

test('names the content of Secrets, and does not show it', () => {
  const pki = createEtcdPki({ algorithm: 'ecdsa', now: new Date(), memberSans: [] })
  const input = manifestInputOf({}, { files: pki })

  const text = renderManifests(planeManifests(input), { secrets: 'reference' })

  expect(text).toContain('etcd_ca.key: "<etcd/ca.key of Secret vplane-dev-ca>"')
  expect(text).toContain('vplane.dev/contents: ')
  for (const content of Object.values(pki)) {
    const encoded = Buffer.from(content).toString('base64')
    expect(text).not.toContain(content.split('\n')[1])
    expect(text).not.toContain(encoded.slice(0, 40))
  }
})

test('leaves everything but Secrets as it is', () => {
  const shown = parseYamlDocuments(renderManifests(objects, { secrets: 'reference' }), 'rendered')

  shown.forEach((object, index) => {
    if (objects[index]?.kind !== 'Secret') {
      expect(object).toEqual(objects[index])
    }
  })
})

test('is the same text for the same plane', () => {
  const again = planeManifests(manifestInputOf({ preset: 'ha' }))

  expect(renderManifests(again, { secrets: 'show' })).toBe(
    renderManifests(objects, { secrets: 'show' }),
  )
})
