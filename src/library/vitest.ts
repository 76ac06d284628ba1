import { afterAll, inject, test } from 'vitest'
import type { TestProject } from 'vitest/node'
import { attachControlPlane } from './attach-control-plane.ts'
import { VplaneError } from '../shared/errors.ts'
import type { SharedControlPlane } from './types/control-plane.ts'
import { withUserHints } from './types/user-error.ts'
import { type ProvidedPlane, sharePlane } from './share-plane.ts'
import type { StartOptions } from './types/start-options.ts'
import { objectPath } from '../shared/kube/collections.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The control plane of this run, from the global setup of `vplane/vitest`. */
    vplane: ProvidedPlane
  }
}

export type { ProvidedPlane } from './share-plane.ts'

/**
 * Returns a global setup for vitest that starts one control plane for the whole run. Without options, name the package
 * itself: `globalSetup: ['vplane/vitest']`. Paths are relative to the root of the project.
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

/** The global setup with default options, which vitest calls by this name. */
export const setup = planeSetup()

/**
 * Returns a `test` with two fixtures: the control plane of this run (`plane`), and the name of a namespace of the test file
 * (`namespace`), which is created when the first test uses it. It can be extended like the `test` of vitest.
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
 * Returns the control plane of this run without fixtures: for hooks, helpers and the top of a file. The connection closes
 * after the last test of the file.
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

/** Creates a namespace for the rest of the file, or of a `describe` whose hook calls it, and returns its name. */
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
  return withUserHints(attachControlPlane(provided))
}

/** Does not wait until the namespace is empty: the plane does that, and is removed after the run. */
async function deleteNamespace({ api }: SharedControlPlane, namespace: string): Promise<void> {
  await api.delete(objectPath('namespaces', { name: namespace }))
}
