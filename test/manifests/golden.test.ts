import { loadTemplates } from '../../src/manifests/templates/load-templates.ts'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Manifest } from '../../src/manifests/manifest.ts'
import { fileOfSecretKey } from '../../src/manifests/pod-files.ts'
import {
  namespaceKeeperManifests,
  planeManifests,
} from '../../src/manifests/render/plane-manifests.ts'
import type { ManifestInput } from '../../src/manifests/templates/manifest-input.ts'
import { renderManifests } from '../../src/manifests/render/render-manifests.ts'
import { manifestInputOf } from './manifest-input-of.ts'
import { VARIANTS } from './variants.ts'

// What is applied to a host. After a change that is meant:
// npm run test:unit -- test/manifests/golden.test.ts -u

test.for(Object.keys(VARIANTS))('applies %s as the golden file says', async (name, { expect }) => {
  const [user = {}, changes] = VARIANTS[name] ?? []

  const objects = objectsOf(manifestInputOf(user, changes))
  const { text } = renderManifests(objects.map(withNamesOfFiles), { secrets: 'show' })

  await expect(text).toMatchFileSnapshot(`golden/${name}.yaml`)
})

test('has no golden file without a variant', () => {
  const files = readdirSync(join(import.meta.dirname, 'golden'))

  expect(files.toSorted()).toEqual(
    Object.keys(VARIANTS)
      .map((name) => `${name}.yaml`)
      .toSorted(),
  )
})

test('shows every template in one of them', () => {
  const templates = loadTemplates()

  const objects = Object.values(VARIANTS).flatMap(([user, changes]) =>
    objectsOf(manifestInputOf(user, changes)),
  )

  const shown = new Set(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`))
  expect(shown.size).toBe(templates.length)
})

/** The objects of a plane, and the keeper of its namespace. */
function objectsOf(input: ManifestInput): Manifest[] {
  return [...planeManifests(input), ...namespaceKeeperManifests(input)]
}

/** A Secret whose contents are the names of its files, as they say which component may read which key. */
function withNamesOfFiles(object: Manifest): Manifest {
  const { data, ...rest } = object
  if (object.kind !== 'Secret') {
    return object
  }
  const files = Object.keys(Object(data)).map((key) => [key, `<${fileOfSecretKey(key)}>`])
  return { ...rest, stringData: Object.fromEntries(files) }
}
