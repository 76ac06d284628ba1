import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeComponents } from '../../../../src/control-plane/components/describe-components.ts'
import { localLayout } from '../../../../src/drivers/local/components/local-layout.ts'
import { findPlaneProcesses } from '../../../../src/drivers/local/components/running-components.ts'
import { planeFolder } from '../../../../src/drivers/local/store/plane-folder.ts'
import { darwinProcessTable } from '../../../../src/shared/processes/darwin-process-table.ts'
import { createTemporaryFolder } from '../../../../src/shared/files/create-temporary-folder.ts'
import { writeProcessRecord } from '../../../../src/shared/processes/launch/process-record.ts'
import type { ProcessTable } from '../../../../src/shared/processes/process-table.ts'
import { planeRecordOf } from '../plane-record-of.ts'

const FOLDER = planeFolder('/home/me/My Data/vplane/planes/dev')
const ETCD = `--config-file=${FOLDER.configuration}/etcd.json`

const components = describeComponents(
  planeRecordOf('dev').spec,
  localLayout(planeRecordOf('dev'), FOLDER),
).map(({ args, name }) => [name, args] as const)

test.for(components)('knows %s as it is started', ([name, args]) => {
  expect(isFound([`/My Cache/bin/${name}`, ...args])).toBe(true)
})

test.for([
  ['a component of a folder of scripts', ['/bin/sh', '-e', '/opt/bin/etcd', ETCD]],
  ['one that such a script has started', ['etcd', ETCD]],
  ['an etcd for a restore', ['/bin/etcd', `--config-file=${FOLDER.restoredConfiguration}`]],
] as const)('finds %s', ([, command]) => {
  expect(isFound(command)).toBe(true)
})

test.for([
  [
    'etcdctl with its certificates',
    ['/opt/bin/etcdctl', 'snapshot', 'save', 'x.db', `--cacert=${FOLDER.pki}/etcd/ca.crt`],
  ],
  [
    'etcdutl that restores into its folder',
    ['/opt/bin/etcdutl', 'snapshot', 'restore', 'x.db', `--data-dir=${FOLDER.root}/etcd-restored`],
  ],
  ['an etcd of the user on a copy in its folder', ['/opt/bin/etcd', `--data-dir=${FOLDER.root}/x`]],
  ['a pager', ['tail', `--follow=${FOLDER.logOf('etcd')}`]],
  ['an editor', ['/usr/bin/vim', `${FOLDER.root}/plane.json`]],
  [
    'kubectl with its kubeconfig',
    ['kubectl', `--kubeconfig=${FOLDER.configuration}/controller-manager.kubeconfig`],
  ],
  ['another program with a flag of a component', ['/opt/bin/etcd-viewer', ETCD]],
  ['a component of another plane', ['/opt/bin/etcd', ETCD.replace('/dev/', '/dev2/')]],
  ['a component with a file beside its own', ['/opt/bin/etcd', `${ETCD}.old`]],
  ['a shell that mentions a component', ['sh', '-c', `/opt/bin/etcd ${ETCD}`]],
  ['a process without a command', ['']],
] as const)('does not find %s', ([, command]) => {
  expect(isFound(command)).toBe(false)
})

test('finds components in the output of ps on macOS', () => {
  const lines = components.map(
    ([name, args], at) => `${at} /My Cache/bin/${name} ${args.join(' ')}`,
  )
  const others = [`7 etcdctl --cacert=${FOLDER.pki}/ca.crt`, `8 tail --follow=${FOLDER.logs}/x`]
  const table = darwinProcessTable(() => [...lines, ...others].join('\n'))

  const found = findPlaneProcesses(FOLDER, { ...table, startTimeOf: () => '1' })

  expect(found.map(({ processId }) => processId)).toEqual([0, 1, 2])
})

test.for([
  ['of this plane', '', true],
  ['of the plane that its folder was copied from', '-original', false],
] as const)('checks the flags of a process recorded as %s', async ([, suffix, isOfPlane]) => {
  await using place = await createTemporaryFolder()
  const folder = planeFolder(join(place.path, 'dev'))
  const record = { formatVersion: 1, processId: 42, startTime: '1', bootId: 'this boot' } as const
  await mkdir(folder.processes, { recursive: true })
  await writeProcessRecord(folder.processOf('etcd'), {
    ...record,
    startedAt: '2026-01-02T03:04:05Z',
  })

  const file = `${folder.root}${suffix}/configuration/etcd.json`

  expect(isFound(['/opt/etcd-3.6', `--config-file=${file}`], folder)).toBe(isOfPlane)
})

function isFound(command: readonly string[], folder = FOLDER): boolean {
  const table: ProcessTable = {
    startTimeOf: () => '1',
    bootId: () => 'this boot',
    findByCommand: (isWanted) => (isWanted(command, 42) ? [42] : []),
  }
  return findPlaneProcesses(folder, table).length > 0
}
