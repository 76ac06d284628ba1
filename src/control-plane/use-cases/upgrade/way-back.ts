import type { PlaneSpecs } from '../../spec/plane-specs.ts'

/**
 * What a plane is to be again when a stage of its upgrade failed: what it was, or comes from when an earlier run was cut
 * off. Where the new version was about to run as itself, it goes on as the one before, and not back to that any more:
 * it may have stored what that cannot read. etcd stays where it is, unless it was its stage.
 *
 * @param before what the plane was at the beginning of the stage
 * @returns undefined when there is nothing to go back to.
 */
export function wayBack({ spec, userSpec }: PlaneSpecs, stage: PlaneSpecs): PlaneSpecs | undefined {
  const { etcdUpgradingFrom, ...staged } = stage.spec
  const { etcdVersion, isPastReturn, upgradingFrom, version } = staged
  if (etcdUpgradingFrom !== undefined) {
    return { userSpec: stage.userSpec, spec: { ...staged, etcdVersion: etcdUpgradingFrom } }
  }
  if (isPastReturn === true || (spec.etcdVersion !== etcdVersion && spec.version === version)) {
    return undefined
  }
  const { etcdUpgradingFrom: _, ...former } = { ...spec, etcdVersion }
  if (spec.version !== version) {
    return { userSpec, spec: former }
  }
  if (spec.upgradingFrom !== upgradingFrom) {
    return { userSpec, spec: { ...former, isPastReturn: true } }
  }
  if (upgradingFrom === undefined) {
    return undefined
  }
  const { upgradingFrom: _from, ...rest } = staged
  return {
    userSpec: { ...stage.userSpec, version: upgradingFrom },
    spec: { ...rest, version: upgradingFrom },
  }
}
