import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { readManifestObjects } from '../../../src/library/start/read-manifest-objects.ts'
import { silentUi } from '../../../src/shared/ui.ts'
import { crd } from '../../support/api/crd.ts'
import { temporaryFolder } from '../../support/machine/temporary-folder.ts'

const about = { source: 'crds', ui: silentUi }

test('takes paths, URLs and objects, in their order', async () => {
  await using folder = await temporaryFolder()
  const [file, other] = [join(folder.path, 'a file.json'), join(folder.path, 'b.yaml')]
  writeFileSync(file, JSON.stringify(crd('as')))
  writeFileSync(other, `# nothing yet\n---\n${JSON.stringify(crd('bs'))}\n`)

  const objects = await readManifestObjects([crd('cs'), pathToFileURL(file), other], about)

  expect(objects.map(({ metadata }) => metadata.name)).toEqual([
    'cs.example.com',
    'as.example.com',
    'bs.example.com',
  ])
})

test('takes objects as a client library makes them', async () => {
  const object = {
    ...crd('as'),
    status: undefined,
    metadata: { name: 'as', creationTimestamp: new Date('2026-03-01T12:00:00Z') },
  }

  const [read] = await readManifestObjects([object], about)

  expect(read).not.toHaveProperty('status')
  expect(read?.metadata).toEqual({ name: 'as', creationTimestamp: '2026-03-01T12:00:00.000Z' })
})

test('does not change the objects of others', async () => {
  const object = crd('as')

  const [read] = await readManifestObjects([object], about)

  expect(read).toEqual(object)
  expect(read).not.toBe(object)
})

test.for([
  {},
  { kind: 'A' },
  { apiVersion: 'v1', kind: 'A' },
  { apiVersion: 'v1', kind: 'A', metadata: null },
  [],
])('refuses %j, and reports its number', async (object) => {
  await expect(readManifestObjects([crd('as'), object], about)).rejects.toMatchObject({
    code: 'INVALID_SPEC',
    message: expect.stringContaining('crds[1] is not a Kubernetes object'),
  })
})

test('reports which file does not exist', async () => {
  await expect(readManifestObjects(['/no/such/file'], about)).rejects.toThrow('/no/such/file')
})
