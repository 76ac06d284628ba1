import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { loadTemplates, readOverlay } from '../../../src/manifests/templates/load-templates.ts'
import { temporaryFolder } from '../../support/machine/temporary-folder.ts'
import { thrownBy } from '../../support/thrown-by.ts'

test('reads templates of vplane, sorted by path, and no other files', () => {
  const paths = loadTemplates().map(({ path }) => path)

  expect(paths).toContain('etcd/stateful-set.yaml')
  expect(paths).toEqual(paths.toSorted())
  expect(paths.filter((path) => !path.endsWith('.yaml'))).toEqual([])
})

test("lets a user's file take the place of ours, and adds those of other names", async () => {
  await using temporary = await temporaryFolder()
  const folder = temporary.path
  const files = [
    ['etcd/service.yaml', 'mine: true\n'],
    ['monitoring/service-monitor.yml', 'more: true\n'],
    ['notes.txt', 'not a template'],
  ] as const
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }

  const before = loadTemplates()
  const templates = loadTemplates(readOverlay(folder))

  expect(templates).toHaveLength(before.length + 1)
  expect(templates.find(({ path }) => path === 'etcd/service.yaml')).toEqual({
    path: 'etcd/service.yaml',
    source: join(folder, 'etcd/service.yaml'),
    text: 'mine: true\n',
  })
  expect(templates.map(({ path }) => path)).toContain('monitoring/service-monitor.yml')
})

test('names the folder that cannot be read', () => {
  const error = thrownBy(() => readOverlay('/does/not/exist'))

  expect(error.code).toBe('USAGE')
  expect(error.message).toContain('cannot read the templates in "/does/not/exist": ')
})
