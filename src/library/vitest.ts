import { afterAll, inject, test } from 'vitest'
import type { TestProject } from 'vitest/node'
import { attachControlPlane } from './attach-control-plane.ts'
import { VplaneError } from '../shared/errors.ts'
import type { SharedControlPlane } from './types/control-plane.ts'
import { forUsers } from './types/user-error.ts'
import { type ProvidedPlane, sharePlane } from './share-plane.ts'
import type { StartOptions } from './types/start-options.ts'
import { objectPath } from '../shared/kube/collections.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The control plane of this run; only with the global setup of `vplane/vitest`. */
    vplane: ProvidedPlane
  }
}

export type { ProvidedPlane } from './share-plane.ts'

/**
 * Starts one control plane for a whole run: the global setup of vitest. Without options, name the package itself:
 * `globalSetup: ['vplane/vitest']`. Paths are meant from the root of the project.
 *
 * @example
 * `test/global-setup.ts`:
 *
 * ```ts
 * import { planeSetup } from 'vplane/vitest'
 *
 * export const setup = planeSetup({ crds: ['config/crd'] })
 * ```
 */
export function planeSetup(
  options: StartOptions = {},
): (project: TestProject) => Promise<() => Promise<void>> {
  return (project) => sharePlane(project, options)
}

/** The global setup with every option left at its default, as vitest calls it by this name. */
export const setup = planeSetup()

/**
 * A `test` whose tests get the control plane of this run (`plane`), and the name of a namespace that their file has for
 * itself (`namespace`), made when the first of them asks for it. It can be extended like vitest's own.
 *
 * @example
 * ```ts
 * import { expect } from 'vitest'
 * import { planeTest } from 'vplane/vitest'
 *
 * const test = planeTest()
 *
 * test('stores what it is given', async ({ namespace, plane }) => {
 *   const path = `/api/v1/namespaces/${namespace}/configmaps`
 *   const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kept' } }
 *   await plane.api.create(path, map)
 *
 *   expect(await plane.api.get(`${path}/kept`)).toMatchObject(map)
 * })
 * ```
 */
export function planeTest() {
  return (
    test
      // oxlint-disable-next-line no-empty-pattern -- vitest reads the names of needed fixtures from this pattern
      .extend('plane', { scope: 'worker' }, async ({}, hooks): Promise<SharedControlPlane> => {
        const plane = await attach()
        hooks.onCleanup(() => plane[Symbol.asyncDispose]())
        return plane
      })
      .extend('namespace', { scope: 'file' }, async ({ plane }, hooks) => {
        const namespace = await plane.createNamespace()
        hooks.onCleanup(() => deleteNamespace(plane, namespace))
        return namespace
      })
  )
}

/**
 * The control plane of this run, for whoever does without fixtures: in hooks, helpers or at the top of a file. It is
 * let go of when the file has run.
 *
 * @example
 * ```ts
 * import { expect, test } from 'vitest'
 * import { useNamespace, usePlane } from 'vplane/vitest'
 *
 * const plane = await usePlane()
 * const namespace = await useNamespace()
 *
 * test('has a namespace', async () => {
 *   expect(await plane.api.get(`/api/v1/namespaces/${namespace}`)).toBeDefined()
 * })
 * ```
 */
export async function usePlane(): Promise<SharedControlPlane> {
  const plane = await attach()
  afterAll(() => plane[Symbol.asyncDispose]())
  return plane
}

/** Makes a namespace for the rest of a file, or of a `describe` whose hook calls it, and returns its name. */
export async function useNamespace(): Promise<string> {
  const plane = await attach()
  const namespace = await plane.createNamespace()
  afterAll(async () => {
    await deleteNamespace(plane, namespace)
    await plane[Symbol.asyncDispose]()
  })
  return namespace
}

async function attach(): Promise<SharedControlPlane & AsyncDisposable> {
  const provided: ProvidedPlane | undefined = inject('vplane')
  if (provided === undefined) {
    throw new VplaneError('USAGE', 'this run has no control plane', {
      hints: ["add it to vitest's configuration: test: { globalSetup: ['vplane/vitest'] }"],
    })
  }
  return forUsers(attachControlPlane(provided))
}

/** Nobody waits until it is empty: that is the plane's own work, and the plane goes with the run. */
async function deleteNamespace({ api }: SharedControlPlane, namespace: string): Promise<void> {
  await api.delete(objectPath('namespaces', { name: namespace }))
}
