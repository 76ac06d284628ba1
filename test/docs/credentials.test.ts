import { expect, test } from 'vitest'
import { ENCRYPTION_FILE } from '../../src/control-plane/components/encryption-configuration.ts'
import { ALL_COMPONENT_NAMES } from '../../src/control-plane/plane/plane.ts'
import {
  DATABASE_ENDPOINT,
  DATABASE_FILE,
  DATABASE_FILES,
} from '../../src/manifests/database-files.ts'
import { filesOfPod } from '../../src/manifests/pod-files.ts'
import { SHARED_ETCD_FILES } from '../../src/manifests/shared-etcd-files.ts'
import { createAuthority } from '../../src/pki/issue/create-authority.ts'
import { createEtcdPki } from '../../src/pki/plane/etcd-pki.ts'
import {
  createPlanePki,
  createSchedulerPki,
  createSyncerPki,
} from '../../src/pki/plane/plane-pki.ts'
import { readPages } from './read-pages.ts'

test('the security model names every key of a control plane, and who has it', async () => {
  const { text } = readPages().find(({ path }) => path === 'docs/security-model.md') ?? { text: '' }
  const rows = text.split('\n').filter((line) => line.startsWith('| `'))
  const options = { algorithm: 'ecdsa', now: new Date('2026-01-01') } as const
  const issuer = { ...options, authority: createAuthority({ commonName: 'ca', ...options }) }
  const files = {
    ...(await createPlanePki({ ...options, serverSans: [] })),
    ...createSchedulerPki(issuer),
    ...createSyncerPki({ ...issuer, serverSans: [] }),
    ...createEtcdPki({ ...options, memberSans: [] }),
    [ENCRYPTION_FILE]: '',
    ...Object.fromEntries([...DATABASE_FILES, SHARED_ETCD_FILES.key].map((name) => [name, ''])),
  }
  const rowOf = (name: string) => rows.find((row) => row.includes(`\`${name}\``))
  const others = [ENCRYPTION_FILE, DATABASE_FILE, DATABASE_ENDPOINT]
  const isSecret = (name: string) => name.endsWith('.key') || others.includes(name)

  expect(Object.keys(files).filter((name) => isSecret(name) && rowOf(name) === undefined)).toEqual(
    [],
  )
  const held = ALL_COMPONENT_NAMES.flatMap((component) =>
    Object.keys(filesOfPod(component, files))
      .filter(isSecret)
      .map((name) => ({ component, name })),
  )
  expect(held.length).toBeGreaterThan(10)
  const unnamed = held.filter(({ component, name }) => {
    const [, , holders = ''] = rowOf(name)?.split('|') ?? []
    return !holders.includes(component)
  })
  expect(unnamed).toEqual([])
})
