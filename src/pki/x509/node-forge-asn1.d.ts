/** The part of node-forge's ASN.1 layer that is used here; @types/node-forge describes the whole package only. */
declare module 'node-forge/lib/asn1.js' {
  namespace asn1 {
    /** A node of ASN.1; byte strings are binary strings, one character per byte. */
    interface Asn1 {
      tagClass: number
      type: number
      constructed: boolean
      value: string | Asn1[]
    }

    interface ByteBuffer {
      getBytes(): string
    }
  }

  const asn1: {
    Class: { UNIVERSAL: number; CONTEXT_SPECIFIC: number }
    Type: {
      BOOLEAN: number
      INTEGER: number
      BITSTRING: number
      OCTETSTRING: number
      NULL: number
      OID: number
      UTF8: number
      SEQUENCE: number
      SET: number
      UTCTIME: number
      GENERALIZEDTIME: number
    }
    create(
      tagClass: number,
      type: number,
      constructed: boolean,
      value: string | asn1.Asn1[],
    ): asn1.Asn1
    fromDer(bytes: string, options: { decodeBitStrings: boolean }): asn1.Asn1
    toDer(node: asn1.Asn1): asn1.ByteBuffer
    oidToDer(oid: string): asn1.ByteBuffer
    dateToUtcTime(date: Date): string
    dateToGeneralizedTime(date: Date): string
  }

  export = asn1
}
