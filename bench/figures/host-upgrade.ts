import { total, value } from '../compare.ts'
import type { Figure } from '../figure.ts'
import { formatWrites, writeMeanwhile, type WrittenMeanwhile } from '../host/host-writer.ts'

const NAME = 'bench-upgrade'
const FROM = '1.35'
const TO = '1.36'

/** What a client that writes notices of an upgrade of a plane with several of everything. */
export const hostUpgradeFigure: Figure = {
  name: 'host-upgrade',
  async measure({ host: openHost, rounds }) {
    const host = await openHost()
    if (host === undefined) {
      return []
    }
    await host.lab.loadPlaneImages(FROM)
    await using namespace = await host.namespace(NAME)
    const place = [NAME, '--namespace', namespace.name]
    const all = ['pods', '--all', '-n', namespace.name, '--timeout=120s']
    const upgrades: WrittenMeanwhile[] = []
    for (let round = 0; round < rounds; round += 1) {
      await host.vplane('create', ...place, '--preset', 'ha', '--version', FROM)
      await host.kubectl('wait', ...all, '--for=condition=Ready')
      const upgrade = () => host.vplane('upgrade', ...place, '--version', TO, '--yes')
      upgrades.push(await writeMeanwhile(host, place, upgrade))
      await host.vplane('delete', ...place, '--yes')
      await host.kubectl('wait', ...all, '--for=delete')
    }
    const samples = {
      failures: upgrades.map(({ failures }) => failures),
      lost: upgrades.map(({ lost }) => lost),
      taken: upgrades.map(({ taken }) => taken),
    }
    const what = `\`vplane upgrade --version ${TO}\` of a plane of the preset ha, from ${FROM}`
    return [
      total({
        name: 'host-upgrade',
        what: `${what}: requests of a client that failed, in all rounds`,
        unit: 'requests',
        of: 'failures',
        target: 0,
        samples,
        notes: [formatWrites(upgrades)],
      }),
      total({
        name: 'host-upgrade-lost',
        what: 'the same: acknowledged writes that were lost',
        unit: 'writes',
        of: 'lost',
        target: 0,
        samples,
      }),
      value({
        name: 'host-upgrade-time',
        what: 'the same: how long it takes',
        unit: 'ms',
        of: 'upgrade',
        samples: { upgrade: upgrades.map(({ ms }) => ms) },
      }),
    ]
  },
}
