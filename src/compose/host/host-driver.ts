import type { Driver } from '../../control-plane/driver/driver.ts'

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
    certificates: {
      list: async (plane) => (await driver()).certificates.list(plane),
      renewLeaves: async (plane, operation) =>
        (await driver()).certificates.renewLeaves(plane, operation),
      rotation: async (plane, keys) => (await driver()).certificates.rotation(plane, keys),
      rotate: async (plane, request, operation) =>
        (await driver()).certificates.rotate(plane, request, operation),
      secretsInEtcd: async (plane, signal) =>
        (await driver()).certificates.secretsInEtcd(plane, signal),
    },
    etcd: {
      staleObjects: async (plane, lost, signal) =>
        (await driver()).etcd.staleObjects(plane, lost, signal),
      canReturnTo: async (plane, version, signal) =>
        (await driver()).etcd.canReturnTo(plane, version, signal),
      regainMajority: async (plane, operation) =>
        (await driver()).etcd.regainMajority(plane, operation),
      settle: async (plane, operation) => (await driver()).etcd.settle(plane, operation),
    },
    moves: {
      fingerprint: async (plane, signal) => (await driver()).moves.fingerprint(plane, signal),
      leave: async (plane, request, operation) =>
        (await driver()).moves.leave(plane, request, operation),
      takeBack: async (plane, request, operation) =>
        (await driver()).moves.takeBack(plane, request, operation),
      return: async (plane, request, operation) =>
        (await driver()).moves.return(plane, request, operation),
    },
    pods: {
      volumes: async (plane) => (await driver()).pods.volumes(plane),
      addresses: async (plane) => (await driver()).pods.addresses(plane),
      outlook: async (...request) => (await driver()).pods.outlook(...request),
    },
    metrics: {
      etcd: async (plane, signal) => (await driver()).metrics.etcd(plane, signal),
      ofComponent: async (plane, component, signal) =>
        (await driver()).metrics.ofComponent(plane, component, signal),
    },
    list: async (scope) => ((await hasHost()) ? (await driver()).list(scope) : []),
    find: async (name, scope) => ((await hasHost()) ? (await driver()).find(name, scope) : []),
    create: async (request, operation) => (await driver()).create(request, operation),
    start: async (plane, operation) => (await driver()).start(plane, operation),
    plan: async (plane, change, signal) => (await driver()).plan(plane, change, signal),
    change: async (plane, change, operation) => (await driver()).change(plane, change, operation),
    pause: async (plane, operation, options) => (await driver()).pause(plane, operation, options),
    remove: async (plane, operation, options) => (await driver()).remove(plane, operation, options),
    isRunning: async (plane, components) => (await driver()).isRunning(plane, components),
    status: async (plane, options) => (await driver()).status(plane, options),
    endpoint: async (plane, options) => (await driver()).endpoint(plane, options),
    issueCredential: async (plane, identity, lifetimeMs) =>
      (await driver()).issueCredential(plane, identity, lifetimeMs),
    checkComponents: async (plane, components) =>
      (await driver()).checkComponents(plane, components),
    debugFiles: async (plane, signal) => (await driver()).debugFiles(plane, signal),
    restore: async (plane, request, operation) =>
      (await driver()).restore(plane, request, operation),
    keys: async (plane, signal) => (await driver()).keys(plane, signal),
    diagnose: async (plane, signal) => (await driver()).diagnose(plane, signal),
    repair: async (plane, operation) => (await driver()).repair(plane, operation),
    snapshot: async (plane, signal, instance) => (await driver()).snapshot(plane, signal, instance),
    logs: async function* (plane, request, signal) {
      yield* (await driver()).logs(plane, request, signal)
    },
  }
}
