import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { CheckpointSigner } from './checkpoint-signer';

const newKey = () => randomBytes(32).toString('base64');
const statement = { tenantId: 1, number: 2, length: 30, hash: 'ab'.repeat(32), signedAt: '2026-03-02T09:30:00.000Z' };

describe(CheckpointSigner.name, () => {
  const key = newKey();
  const signer = new CheckpointSigner([key]);
  const checkpoint = signer.sign(statement);

  it.each([
    ['tenantId', 2],
    ['number', 3],
    ['length', 29],
    ['hash', 'cd'.repeat(32)],
    ['signedAt', '2026-03-02T09:30:00.001Z'],
    ['signature', 'A'.repeat(86)],
    ['signature', ''],
  ])('shows that another %s was signed', (field, value) => {
    expect(signer.problemOf({ ...checkpoint, [field]: value })).toMatch(/is not as it was signed/);
  });

  it('takes the checkpoint of another installation for none of this one', () => {
    const foreign = new CheckpointSigner([newKey()]).sign(statement);
    expect(signer.problemOf(foreign)).toMatch(/which is not known/);
    expect(signer.problemOf({ ...foreign, keyId: checkpoint.keyId })).toMatch(/is not as it was signed/);
  });

  it('signs so that an auditor needs the public key alone', () => {
    const [publicKey] = signer.publicKeys();
    const { tenantId, number, length, hash, signedAt } = statement;
    const bytes = Buffer.from(JSON.stringify(['plinth audit checkpoint', tenantId, number, length, hash, signedAt]));
    const signature = Buffer.from(checkpoint.signature, 'base64url');
    expect(publicKey?.keyId).toBe(checkpoint.keyId);
    expect(verify(null, bytes, createPublicKey(publicKey?.publicKey ?? ''), signature)).toBe(true);
  });

  it('verifies with keys that were replaced, and with public keys of those that are gone', () => {
    const replaced = new CheckpointSigner([newKey(), key]);
    expect(replaced.problemOf(checkpoint)).toBeUndefined();
    expect(replaced.sign(statement).keyId).not.toBe(checkpoint.keyId);
    expect(new CheckpointSigner([newKey()], signer.publicKeys()).problemOf(checkpoint)).toBeUndefined();
  });
});
