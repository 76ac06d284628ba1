/** The part of node-forge's ASN.1 layer that vplane uses; @types/node-forge only describes the whole package. */
declare module 'node-forge/lib/asn1.js' {
  namespace asn1 {
    /** Byte strings are binary strings, one character per byte. */
    interface Asn1 {
      tagClass: number
      type: number
      constructed: boolean
      value: string | Asn1[]
    }
  }

  const asn1: {
    Class: { UNIVERSAL: number; CONTEXT_SPECIFIC: number }
    Type: Record<'BOOLEAN' | 'INTEGER' | 'BITSTRING' | 'OCTETSTRING' | 'NULL' | 'OID', number> &
      Record<'UTF8' | 'SEQUENCE' | 'SET' | 'UTCTIME' | 'GENERALIZEDTIME', number>
    create(
      tagClass: number,
      type: number,
      constructed: boolean,
      value: string | asn1.Asn1[],
    ): asn1.Asn1
    fromDer(bytes: string, options: { decodeBitStrings: boolean }): asn1.Asn1
    toDer(node: asn1.Asn1): { getBytes(): string }
    oidToDer(oid: string): { getBytes(): string }
    dateToUtcTime(date: Date): string
    dateToGeneralizedTime(date: Date): string
  }

  export = asn1
}
