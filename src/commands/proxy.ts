import { once } from 'node:events'
import { Flags } from '@oclif/core'
import { BaseCommand } from '../cli/base/base-command.ts'
import { nameArgument, timeoutFlag } from '../cli/flags/flags.ts'
import { selectorFlags } from '../cli/flags/selector-flags.ts'
import { openAccessTo } from '../control-plane/use-cases/connect/connect-control-plane.ts'
import { renewAccess } from '../control-plane/use-cases/access/access.ts'
import { startProxy } from '../compose/start-proxy.ts'

export interface ProxyResult {
  name: string
  /** For a browser: the token is in it. */
  url: string
  port: number
  /** What other clients show: `Authorization: Bearer TOKEN`. */
  token: string
}

export default class Proxy extends BaseCommand {
  static override readonly summary =
    'Serves the API on a local HTTP address, for browsers and curl.'
  static override readonly description =
    'Runs until Ctrl-C. Anyone who has the token is an administrator of the plane; requests without it are refused, also those of pages in a browser. kubectl needs no proxy: use connect.'
  static override readonly examples = [
    '<%= config.bin %> proxy dev',
    '<%= config.bin %> proxy dev --port 8001 --json',
  ]
  static override readonly group = 'planes'
  static override readonly args = { name: nameArgument() }
  static override readonly flags = {
    ...selectorFlags,
    port: Flags.integer({
      summary: 'Port on 127.0.0.1; by default a free one.',
      helpValue: 'PORT',
      min: 1,
      max: 65_535,
    }),
    timeout: timeoutFlag(),
  }

  async run(): Promise<ProxyResult> {
    const { args, flags } = await this.parse(Proxy)
    const { composition, selected } = await this.select(args.name, flags)
    const { access, driver, plane } = await openAccessTo(composition, {
      ...selected,
      isHeld: true,
      timeoutMs: flags.timeout,
    })
    const renew = () => renewAccess(composition, { driver, plane })
    await using proxy = await startProxy({ access, renew, port: flags.port })
    const { port, token, url } = proxy
    const result = { name: selected.name, url, port, token }
    // The reader of the result uses it while this runs.
    if (this.jsonEnabled()) {
      super.logJson(result)
    }
    this.log(`"${selected.name}" is at ${url}`)
    this.log(`curl -H "Authorization: Bearer ${token}" http://127.0.0.1:${port}/version`)
    if (!this.signal.aborted) {
      await once(this.signal, 'abort')
    }
    return result
  }

  /** The result was printed when the proxy began. */
  protected override logJson(): void {}
}
