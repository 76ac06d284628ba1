import type { Driver } from '../control-plane/driver.ts'

export interface HostDriverOptions {
  /** Whether there is a host cluster that can be asked without anybody naming it. */
  hasHost: () => Promise<boolean>
  /** Makes the driver; called once, when it is needed. */
  load: () => Promise<Driver>
}

/**
 * The driver of planes in a host namespace, loaded only when it has something to do: commands for planes of this machine
 * neither load nor ask it. Without a host cluster it has no planes.
 */
export function hostDriver({ hasHost, load }: HostDriverOptions): Driver {
  let loading: Promise<Driver> | undefined
  const driver = () => (loading ??= load())
  return {
    name: 'kubernetes',
    list: async (scope) => ((await hasHost()) ? (await driver()).list(scope) : []),
    find: async (name, scope) => ((await hasHost()) ? (await driver()).find(name, scope) : []),
    create: async (request, operation) => (await driver()).create(request, operation),
    start: async (plane, operation) => (await driver()).start(plane, operation),
    pause: async (plane, operation) => (await driver()).pause(plane, operation),
    remove: async (plane, operation, options) => (await driver()).remove(plane, operation, options),
    isRunning: async (plane) => (await driver()).isRunning(plane),
    status: async (plane, options) => (await driver()).status(plane, options),
    endpoint: async (plane, options) => (await driver()).endpoint(plane, options),
    issueCredential: async (plane, identity, lifetimeMs) =>
      (await driver()).issueCredential(plane, identity, lifetimeMs),
    checkComponents: async (plane) => (await driver()).checkComponents(plane),
    logs: async function* (plane, request, signal) {
      yield* (await driver()).logs(plane, request, signal)
    },
  }
}
