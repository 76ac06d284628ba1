import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createCli } from '../../support/cli/cli.ts'
import { startEtcd } from '../../support/databases/start-etcd.ts'

test('upgrades a plane with a shared etcd, and replaces its CAs', async () => {
  await using etcd = await startEtcd()
  await using cli = await createCli()
  const before = await etcd.names()
  const file = join(etcd.folder, 'plane.json')
  writeFileSync(file, JSON.stringify({ store: { etcd: { shared: etcd.spec } } }))
  const create = ['create', 'old', '--driver', 'local', '--version', '1.35', '--connect']
  await cli.ok([...create, '--file', file])
  await cli.kubectlOk(['create', 'configmap', 'kept'])

  await cli.ok(['upgrade', 'old', '--version', '1.36', '--yes'])
  const saved = await cli.ok(['snapshot', 'list', '--json'])
  await cli.ok(['certs', 'rotate-ca', 'old', '--stage', 'complete', '--yes'])

  expect(await cli.kubectlOk(['get', 'configmap', 'kept', '-o', 'name'])).toContain('kept')
  expect(await cli.ok(['list'])).toContain('Ready')
  expect(saved).toContain('"format": "logical"')
  await cli.ok(['delete', 'old', '--yes'])
  expect(await etcd.keys('/vplane/')).toEqual([])
  expect(await etcd.names()).toEqual(before)
})
