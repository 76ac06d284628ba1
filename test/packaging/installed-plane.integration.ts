import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  DEFAULT_KUBERNETES_VERSION,
  etcdVersionOf,
  parseKubernetesVersion,
} from '../../src/control-plane/spec/kubernetes-version.ts'
import { ensureBinaries } from '../../src/drivers/local/binaries/ensure-binaries.ts'
import { pathsOf } from '../../src/shared/paths.ts'
import { silentUi } from '../../src/shared/ui.ts'
import { type InstalledPackage, installPackage } from './install-package.ts'

const NAMES = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl'] as const

let installed: InstalledPackage
let binDir: string

beforeAll(async () => {
  installed = installPackage()
  binDir = join(installed.prefix, 'binaries')
  mkdirSync(binDir)
  const paths = await ensureBinaries(
    {
      kubernetesVersion: DEFAULT_KUBERNETES_VERSION,
      etcdVersion: etcdVersionOf(parseKubernetesVersion(DEFAULT_KUBERNETES_VERSION)),
      names: NAMES,
    },
    {
      paths: pathsOf(process.env),
      environment: process.env,
      ui: silentUi,
      signal: new AbortController().signal,
    },
  )
  Object.values(paths).forEach((path) => symlinkSync(path, join(binDir, basename(path))))
})

afterAll(() => {
  installed.run('vplane', 'delete', 'packed', '--yes', '--ignore-not-found')
  installed[Symbol.dispose]()
})

test('makes a plane, leads kubectl to it by the credential plugin, and removes all of it', () => {
  const kubectl = join(binDir, 'kubectl')

  const created = installed.run('vplane', 'create', 'packed', '--connect', '--bin-dir', binDir)
  const throughContext = installed.run(kubectl, 'get', 'namespaces', '--output', 'name')
  const refused = ['--', kubectl, 'get', 'nothing']
  const throughCommand = installed.run('vplane', 'connect', 'packed', ...refused)
  const deleted = installed.run('vplane', 'delete', 'packed', '--yes', '--json')

  expect(created).toMatchObject({ status: 0 })
  expect(created.stdout).toContain('"packed" is ready.')
  expect(throughContext).toMatchObject({ status: 0 })
  expect(throughContext.stdout).toContain('namespace/default')
  expect(throughCommand).toMatchObject({ status: 1 })
  expect(throughCommand.stderr).toContain(`doesn't have a resource type "nothing"`)
  expect(deleted).toMatchObject({ status: 0 })
  expect(JSON.parse(deleted.stdout)).toMatchObject({
    deleted: [{ name: 'packed', removedContext: 'vplane_packed' }],
  })
})

test('starts a plane from a program that imports the library', () => {
  const program = join(installed.prefix, 'program.mjs')
  writeFileSync(
    program,
    `import { startControlPlane } from 'vplane'
await using plane = await startControlPlane({ binDir: ${JSON.stringify(binDir)} })
const { kind } = await plane.api.get('/api/v1/namespaces/default')
console.log(kind)
`,
  )

  const run = installed.run(process.execPath, program)

  expect(run).toMatchObject({ status: 0, stdout: 'Namespace\n' })
})
