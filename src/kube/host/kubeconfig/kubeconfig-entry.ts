import { dirname, resolve } from 'node:path'
import { VplaneError } from '../../../shared/errors.ts'
import { recordAt, type Json } from '../../../shared/json-fields.ts'

/** The fields of a cluster, context or user of a kubeconfig, read as kubectl reads them: an empty field is missing. */
export class KubeconfigEntry {
  /** Such as `user "admin"`. */
  readonly what: string
  /** Its kubeconfig. */
  readonly file: string
  readonly #fields: Json

  constructor(what: string, file: string, fields: unknown) {
    this.what = what
    this.file = file
    this.#fields = recordAt(fields) ?? {}
  }

  text(name: string): string | undefined {
    const value = this.#fields[name] ?? undefined
    if (value !== undefined && typeof value !== 'string') {
      throw this.problem(`"${name}" is not a string`)
    }
    return value === '' ? undefined : value
  }

  /** A boolean; false when it is missing. */
  flag(name: string): boolean {
    const value = this.#fields[name] ?? false
    if (typeof value !== 'boolean') {
      throw this.problem(`"${name}" is neither true nor false`)
    }
    return value
  }

  /** A path, which may be relative to the folder of the kubeconfig. */
  path(name: string): string | undefined {
    const value = this.text(name)
    return value === undefined ? undefined : resolve(dirname(this.file), value)
  }

  /** A decoded string in base64. */
  data(name: string): string | undefined {
    const value = this.text(name)?.replaceAll(/\s/g, '')
    if (value !== undefined && !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) {
      throw this.problem(`"${name}" is not base64`)
    }
    return value === undefined ? undefined : Buffer.from(value, 'base64').toString('utf8')
  }

  /** A list of strings; empty when it is missing. */
  texts(name: string): string[] {
    const value = this.#fields[name] ?? []
    if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
      throw this.problem(`"${name}" is not a list of strings`)
    }
    return value
  }

  /** A list of mappings; empty when it is missing. */
  entries(name: string): KubeconfigEntry[] {
    const value = this.#fields[name] ?? []
    if (!Array.isArray(value)) {
      throw this.problem(`"${name}" is not a list`)
    }
    return value.map((item) => new KubeconfigEntry(`${name} of ${this.what}`, this.file, item))
  }

  /** A mapping; undefined when it is missing. */
  entry(name: string): KubeconfigEntry | undefined {
    const value = this.#fields[name] ?? undefined
    const what = `"${name}" of ${this.what}`
    return value === undefined ? undefined : new KubeconfigEntry(what, this.file, value)
  }

  value(name: string): unknown {
    return this.#fields[name]
  }

  names(): string[] {
    return Object.keys(this.#fields)
  }

  problem(why: string, hints: string[] = []): VplaneError {
    return new VplaneError('FAILED', `${this.what} in "${this.file}": ${why}`, { hints })
  }
}
