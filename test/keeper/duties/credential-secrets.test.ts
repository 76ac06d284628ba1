import { expect, test } from 'vitest'
import type {
  CredentialSpec,
  CredentialSpecs,
} from '../../../src/control-plane/spec/credentials/credentials-spec.ts'
import type {
  CredentialTrust,
  ForeignSecret,
} from '../../../src/keeper/duties/credential-dependencies.ts'
import { CredentialSecrets } from '../../../src/keeper/duties/credential-secrets.ts'
import { toRefusal } from '../../../src/kube/kube-error.ts'
import { credentialNotes } from '../../../src/manifests/credentials/credential-secret.ts'
import { VplaneError } from '../../../src/shared/errors.ts'
import { fieldAt } from '../../../src/shared/json-fields.ts'
import { MemoryHostApi } from '../../support/api/memory-host-api.ts'

const HOUR_MS = 3_600_000
const { signal } = new AbortController()
const FLUX: CredentialSpec = {
  secret: 'flux',
  format: 'kubeconfig',
  user: 'flux',
  address: 'in-cluster',
  lifetime: '24h',
}
const ARGO: CredentialSpec = { ...FLUX, secret: 'dev', namespace: 'argocd', format: 'argocd' }
const OWN = '/api/v1/namespaces/team-a/secrets/flux'
const FOREIGN = '/api/v1/namespaces/argocd/secrets/dev'

/** A plane on a host, and its Secrets. */
class World {
  time = Date.parse('2026-06-01T12:00:00Z')
  issued = 0
  isGranted = true
  grantChecks = 0
  failure: Error | undefined
  servers = ['https://vplane-dev-api.team-a.svc']
  trust: CredentialTrust = { certificateAuthority: 'a CA', certificates: 'CN=1', tokens: 'key-1' }
  readonly events: string[] = []
  readonly asked: ForeignSecret[] = []
  readonly host: MemoryHostApi
  duty: CredentialSecrets

  constructor(credentials: CredentialSpecs = { flux: FLUX }, refused: readonly string[] = []) {
    this.host = new MemoryHostApi({
      onRequest: ({ path, verb }) => {
        if (refused.includes(`${verb} ${path}`)) {
          throw toRefusal({ status: 403, body: 'no', request: verb })
        }
      },
    })
    this.duty = this.keeperOf(credentials)
  }

  keeperOf(credentials: CredentialSpecs, isPermitted?: boolean): CredentialSecrets {
    return new CredentialSecrets(
      { name: 'dev', namespace: 'team-a', id: 'id-1', credentials },
      {
        host: this.host,
        isGranted: async () => {
          this.grantChecks += 1
          return this.isGranted
        },
        issue: async ({ spec: { serviceAccount } }) => {
          if (this.failure !== undefined) {
            throw this.failure
          }
          this.issued += 1
          return {
            credential: { token: `token ${this.issued}` },
            expiresAt: new Date(this.time + 24 * HOUR_MS),
            subjectId: '',
            signedBy: serviceAccount === undefined ? this.trust.certificates : this.trust.tokens,
          }
        },
        trust: async () => this.trust,
        servers: async () => this.servers,
        ...(isPermitted === undefined
          ? {}
          : {
              isPermitted: async (secret) => {
                this.asked.push(secret)
                return isPermitted
              },
            }),
        account: 'its keeper',
        report: ({ message, reason }) => this.events.push(`${reason}: ${message}`),
        now: () => new Date(this.time),
      },
    )
  }

  /** Returns the seconds until the next check. */
  async check(): Promise<number> {
    return ((await this.duty.reconcile(signal)).getTime() - this.time) / 1000
  }

  value(path = OWN, key = 'value'): string {
    const data = fieldAt(this.host.objects.get(path), 'data', key)
    return Buffer.from(String(data), 'base64').toString()
  }

  /** The messages of failures by their entries. */
  failures(): Record<string, string> {
    const { failures } = this.duty.status
    return Object.fromEntries(failures.map(({ entry, message }) => [entry, message]))
  }
}

test('writes a Secret, and leaves it as it is until half of the lifetime of its credential', async () => {
  const world = new World()

  expect(await world.check()).toBe(15)
  expect(world.value()).toContain('token 1')
  expect(world.events).toEqual([
    'CredentialIssued: wrote the credential in the Secret "team-a/flux"',
  ])

  world.time += 12 * HOUR_MS - 1000
  await world.check()
  expect(world.issued).toBe(1)

  world.time += 1000
  await world.check()
  expect(world.value()).toContain('token 2')
  expect(world.events[1]).toContain('renewed the credential')
  expect(world.failures()).toEqual({})
})

test('does not renew after a restart of the keeper', async () => {
  const world = new World()
  await world.check()

  world.duty = world.keeperOf({ flux: FLUX })
  await world.check()

  expect(world.issued).toBe(1)
})

test('asks the plane after a restart and every hour whether it still has what belongs to it', async () => {
  const world = new World()
  await world.check()
  world.duty = world.keeperOf({ flux: FLUX })
  await world.check()
  await world.check()
  expect(world.grantChecks).toBe(1)

  world.time += HOUR_MS
  world.isGranted = false
  await world.check()
  expect(world.grantChecks).toBe(2)
  expect(world.issued).toBe(2)
})

test('finds the Secrets of a plane by labels that its other objects do not have', async () => {
  const world = new World({ argo: ARGO })
  await world.check()

  expect(world.host.objects.get(FOREIGN)?.metadata.labels).toEqual({
    'app.kubernetes.io/managed-by': 'vplane',
    'vplane.dev/credential-of': 'dev',
    'vplane.dev/namespace': 'team-a',
    'argocd.argoproj.io/secret-type': 'cluster',
  })
})

const CHANGES: Record<string, (world: World) => void> = {
  'its Secret was deleted': ({ host }) => host.remove(OWN),
  'its Secret was changed': ({ host }) => {
    const secret = host.objects.get(OWN)
    host.put(OWN, {
      ...secret,
      kind: 'Secret',
      apiVersion: 'v1',
      metadata: secret?.metadata ?? {},
      data: { value: 'eA==' },
    })
  },
  'the plane trusts another CA': (world) => {
    world.trust = { ...world.trust, certificateAuthority: 'a CA and its successor' }
  },
  'another CA signs': (world) => {
    world.trust = { ...world.trust, certificates: 'CN=2' }
  },
  'the address changed': (world) => {
    world.servers = ['https://dev.example.com']
  },
  'its entry changed': (world) => {
    world.duty = world.keeperOf({ flux: { ...FLUX, user: 'someone-else' } })
  },
}

test.for(Object.keys(CHANGES))('issues a credential when %s', async (name) => {
  const world = new World()
  await world.check()

  CHANGES[name]?.(world)
  await world.check()
  await world.check()

  expect(world.issued).toBe(2)
  expect(world.value()).toContain('token 2')
})

test('renews the token of a ServiceAccount when another key signs tokens, and not for another CA', async () => {
  const { user: _, ...others } = FLUX
  const world = new World({ flux: { ...others, serviceAccount: 'ci/flux' } })
  await world.check()

  world.trust = { ...world.trust, certificates: 'CN=2' }
  await world.check()
  expect(world.issued).toBe(1)

  world.trust = { ...world.trust, tokens: 'key-2' }
  await world.check()
  expect(world.issued).toBe(2)
})

test('keeps the address that it has chosen as long as it is one of the plane', async () => {
  const world = new World()
  world.servers = ['https://10.0.0.1:30443', 'https://10.0.0.2:30443']
  await world.check()

  world.servers = ['https://10.0.0.2:30443', 'https://10.0.0.1:30443']
  await world.check()

  expect(world.issued).toBe(1)
})

test('does not touch a Secret of someone else, and continues when it is gone', async () => {
  const world = new World()
  const metadata = { name: 'flux', namespace: 'team-a' }
  world.host.put(OWN, { apiVersion: 'v1', kind: 'Secret', metadata, data: { password: 'eA==' } })

  expect(await world.check()).toBe(5)
  expect(world.host.writes).toEqual([])
  const message = 'Secret "flux": it exists already, with content that vplane did not write'
  expect(world.failures()).toEqual({ flux: message })

  world.host.remove(OWN)
  await world.check()
  expect(world.value()).toContain('token 1')
  expect(world.failures()).toEqual({})
})

test('does not touch the Secret of another plane, or of another entry', async () => {
  const world = new World()
  await world.check()
  const own = world.host.objects.get(OWN)
  const annotations = { ...own?.metadata.annotations, 'vplane.dev/plane-id': 'id-2' }
  world.host.put(OWN, {
    apiVersion: 'v1',
    kind: 'Secret',
    ...own,
    metadata: { ...own?.metadata, annotations },
  })
  world.duty = world.keeperOf({ flux: FLUX, again: { ...FLUX, namespace: 'team-a' } })

  await world.check()

  const message = 'Secret "flux": it has the credential of another control plane'
  expect(world.failures()).toEqual({ flux: message, again: message })
  expect(world.issued).toBe(1)
})

test('takes over the Secret of an entry that was renamed', async () => {
  const world = new World()
  await world.check()

  world.duty = world.keeperOf({ gitops: FLUX })
  await world.check()

  expect(world.failures()).toEqual({})
  expect(credentialNotes(world.host.objects.get(OWN) ?? expect.fail())?.entry).toBe('gitops')
})

test('fills an empty Secret that another namespace provides', async () => {
  const world = new World({ argo: ARGO })
  const metadata = { name: 'dev', namespace: 'argocd' }
  world.host.put(FOREIGN, { apiVersion: 'v1', kind: 'Secret', metadata })

  await world.check()

  expect(world.value(FOREIGN, 'server')).toBe('https://vplane-dev-api.team-a.svc')
  expect(world.failures()).toEqual({})
})

test('fails when another namespace does not permit it, and writes the others', async () => {
  const world = new World({ flux: FLUX, argo: ARGO }, [`get ${FOREIGN}`])

  await world.check()

  expect(world.failures()).toEqual({
    argo: 'Secret "dev": the namespace "argocd" has no such Secret, or does not permit its keeper to get and patch it',
  })
  expect(world.value()).toContain('token')
})

test.for([false, true])(
  'asks about other namespaces alone when it may write everywhere: %s',
  async (isPermitted) => {
    const world = new World()
    world.duty = world.keeperOf({ flux: FLUX, argo: ARGO }, isPermitted)

    await world.check()

    expect(world.asked).toEqual([{ name: 'dev', namespace: 'argocd', verb: 'create' }])
    expect(world.host.objects.has(OWN)).toBe(true)
    expect(world.host.objects.has(FOREIGN)).toBe(isPermitted)
  },
)

test('reports that the plane cannot be reached only after some time, since it may start', async () => {
  const world = new World()
  world.failure = new VplaneError('UNREACHABLE', 'nothing listens there')

  expect(await world.check()).toBe(5)
  expect(world.failures()).toEqual({})

  world.time += 120_000
  await world.check()
  expect(world.failures()).toEqual({ flux: 'Secret "flux": nothing listens there' })

  world.failure = undefined
  await world.check()
  expect(world.failures()).toEqual({})
})

test('reports other failures at once', async () => {
  const world = new World()
  world.failure = new VplaneError('NOT_FOUND', 'there is no namespace "ci" in the control plane')

  await world.check()

  expect(world.failures()).toEqual({
    flux: 'Secret "flux": there is no namespace "ci" in the control plane',
  })
})

test('waits for an address that the host has not given yet', async () => {
  const world = new World({ flux: { ...FLUX, address: 'exposed' } })
  world.servers = []

  await world.check()
  expect(world.issued).toBe(0)

  world.servers = ['https://192.0.2.1']
  await world.check()
  expect(world.value()).toContain('https://192.0.2.1')
})
