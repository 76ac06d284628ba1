import type { PlaneSpecs } from '../../spec/plane-specs.ts'

/** What a plane is by an upgrade, as people read it: by its etcd, where that is what differs from something else. */
export function upgradeWords({ spec }: PlaneSpecs, other?: PlaneSpecs): string {
  const { etcdVersion, upgradingFrom, version } = spec
  if (other !== undefined && other.spec.etcdVersion !== etcdVersion) {
    return `etcd ${etcdVersion}`
  }
  return upgradingFrom === undefined
    ? `Kubernetes ${version}`
    : `Kubernetes ${version} as ${upgradingFrom}`
}
