import { expect, test } from 'vitest'
import type { CredentialState } from '../../../../src/control-plane/driver/plane-credentials.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import {
  credentialGrant,
  type WantedCredential,
  writeCredential,
} from '../../../../src/control-plane/use-cases/connect/write-credential.ts'
import type { DriverName } from '../../../../src/control-plane/spec/driver-name.ts'
import { FakeComposition } from '../../../support/driver/fake-composition.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const HOUR_MS = 3_600_000
const FLUX: WantedCredential = {
  secret: { name: 'flux.kubeconfig' },
  grant: { subject: { user: 'flux', groups: [] }, lifetimeMs: 24 * HOUR_MS },
}

test('adds an entry that is named after its Secret, and waits until that is written', async () => {
  const { plane, states, write } = await world({
    states: [{ isWritten: false }, { isWritten: true }],
  })

  expect(await write(FLUX)).toMatchObject({
    entry: 'flux-kubeconfig',
    secret: { name: 'flux.kubeconfig', namespace: 'team-a' },
    isChanged: true,
  })
  expect((await plane()).userSpec.credentials).toEqual({
    'flux-kubeconfig': { secret: 'flux.kubeconfig', user: 'flux', lifetime: '24h' },
  })
  expect(states).toEqual([])
})

test('changes nothing the second time', async () => {
  const { write } = await world()
  await write(FLUX)

  expect(await write(FLUX)).toMatchObject({ isChanged: false, differences: [] })
})

test('changes the entry of a Secret, however that is named', async () => {
  const { plane, write } = await world({
    userSpec: {
      credentials: { mine: { secret: 'flux.kubeconfig', namespace: 'team-a', user: 'a' } },
    },
  })

  await write({
    ...FLUX,
    secret: { name: 'flux.kubeconfig', namespace: 'team-a' },
    format: 'files',
  })

  expect((await plane()).userSpec.credentials).toEqual({
    mine: { secret: 'flux.kubeconfig', user: 'flux', lifetime: '24h', format: 'files' },
  })
})

test('gives the Secret of another namespace a name of its own', async () => {
  const { plane, write } = await world({ userSpec: { credentials: { dev: { user: 'a' } } } })
  const subject = { namespace: 'ci', serviceAccount: 'argo' }

  await write({
    secret: { name: 'dev', namespace: 'argocd' },
    grant: { subject, lifetimeMs: HOUR_MS, clusterRole: 'view' },
    address: 'in-cluster',
  })

  expect((await plane()).userSpec.credentials).toEqual({
    dev: { user: 'a' },
    'argocd-dev': {
      secret: 'dev',
      namespace: 'argocd',
      serviceAccount: 'ci/argo',
      clusterRole: 'view',
      address: 'in-cluster',
      lifetime: '1h',
    },
  })
})

test('refuses identities of Kubernetes, and planes on this machine', async () => {
  const { write } = await world()
  const subject = { user: 'flux', groups: ['system:masters'] }
  const masters = { ...FLUX, grant: { ...FLUX.grant, subject } }
  expect(await rejectionOf(write(masters))).toMatchObject({
    code: 'INVALID_SPEC',
    message: expect.stringContaining('"system:masters"'),
  })

  const local = await world({ driver: 'local' })
  expect(await rejectionOf(local.write(FLUX))).toMatchObject({
    message: expect.stringContaining('the local driver does not support "credentials"'),
  })
})

test('does not wait for a paused plane', async () => {
  const { composition, driver, plane, write } = await world({ states: [] })
  const { signal } = new AbortController()
  await driver.pause(await plane(), { ui: composition.ui, signal })

  await write(FLUX)

  expect(composition.ui.notes).toContain('"dev" is paused: the Secret is written when it runs.')
})

test('notes that the user may not read the Secret', async () => {
  const { composition, write } = await world({ states: [{}] })

  await write(FLUX)

  expect(composition.ui.notes.at(-1)).toContain('You may not read the Secret')
})

test('prints objects for other namespaces alone', async () => {
  const { composition } = await world()
  const options = { name: 'dev', ...OPTIONS() }

  const secret = { name: 'dev', namespace: 'argocd' }
  expect(await credentialGrant(composition, secret, options)).toMatchObject({ objects: [] })
  const own = credentialGrant(composition, { name: 'dev', namespace: 'team-a' }, options)
  expect(await rejectionOf(own)).toMatchObject({ code: 'USAGE' })
})

const OPTIONS = () => ({
  isConfirmed: true,
  timeoutMs: 5000,
  signal: new AbortController().signal,
})

interface WorldOptions {
  driver?: DriverName
  userSpec?: UserSpec
  /** One after the other; the last one stays. @default it is written */
  states?: CredentialState[]
}

async function world({
  driver: name = 'kubernetes',
  states = [{ isWritten: true }],
  userSpec,
}: WorldOptions = {}) {
  const composition = new FakeComposition({ driver: { name, namespace: 'team-a' } })
  const { driver } = composition
  await composition.plane('dev', userSpec)
  driver.credentials = {
    state: async () => states.shift() ?? { isWritten: true },
    outdated: async () => [],
    grant: async () => [],
  }
  return {
    composition,
    driver,
    states,
    plane: async () => {
      const [found] = await driver.find('dev')
      return found !== undefined && 'userSpec' in found ? found : expect.fail('there is no plane')
    },
    write: (wanted: WantedCredential) =>
      writeCredential(composition, wanted, { name: 'dev', ...OPTIONS() }),
  }
}
