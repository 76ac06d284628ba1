import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { compose } from '../../../src/compose/compose.ts'
import { knownKubernetesVersions } from '../../../src/control-plane/spec/kubernetes-version.ts'
import { createControlPlane } from '../../../src/control-plane/use-cases/create/create-control-plane.ts'
import {
  pauseControlPlane,
  resumeControlPlane,
} from '../../../src/control-plane/use-cases/stop/pause-control-plane.ts'
import { removeAfterwards } from '../../../src/control-plane/use-cases/stop/remove-afterwards.ts'
import { silentUi } from '../../../src/shared/ui.ts'

/** Binaries that are not in the cache yet are downloaded or built first. */
const TIMEOUT_MS = 30 * 60_000

let root: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'vplane-versions-'))
})

afterEach(async () => {
  await rm(root, { recursive: true, force: true })
})

test.for(knownKubernetesVersions())(
  'makes, pauses and resumes a plane of Kubernetes %s',
  { timeout: TIMEOUT_MS },
  async (version) => {
    const composition = compose({
      environment: { ...process.env, KUBECONFIG: join(root, 'kubeconfig') },
      root,
      ui: silentUi,
    })
    const [driver] = composition.drivers
    expect.assert(driver !== undefined)
    const { signal } = new AbortController()
    const name = 'smoke'
    const guard = new AsyncDisposableStack()
    const owned = { accesses: composition.accesses, driver, guard, ui: silentUi }
    await using _plane = removeAfterwards(owned, { name })

    const { access } = await createControlPlane(composition, {
      name,
      userSpec: { version },
      driver,
      wait: true,
      timeoutMs: 120_000,
      signal,
    })
    expect.assert(access !== undefined)
    await using api = composition.openApi(access)
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kept' } }
    await api.create('/api/v1/namespaces/default/configmaps', map)
    await pauseControlPlane(composition, { name, signal })
    await resumeControlPlane(composition, { name, signal, timeoutMs: 120_000 })

    const { body } = await api.text('/version')
    expect(JSON.parse(body)).toMatchObject({ gitVersion: `v${version}` })
    expect(await api.get('/api/v1/namespaces/default/configmaps/kept')).toMatchObject(map)
  },
)
