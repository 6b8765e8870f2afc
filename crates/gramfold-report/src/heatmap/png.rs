//! A minimal PNG: eight-bit indices into a palette whose last entry is transparent.

use super::colours::palette;
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use std::io::Write;

const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";
const DEPTH: u8 = 8;
const INDEXED: u8 = 3;

/// The image of `indices`, row by row, in the colours of the [`palette`] for values of one sign or of both.
pub(crate) fn encode(width: u32, indices: &[u8], signed: bool) -> Vec<u8> {
    let height = indices.len() as u32 / width;
    let mut header = Vec::new();
    header.extend(width.to_be_bytes());
    header.extend(height.to_be_bytes());
    // Deflate, the standard filters, no interlacing.
    header.extend([DEPTH, INDEXED, 0, 0, 0]);

    let mut colours: Vec<u8> = palette(signed).concat();
    colours.extend([0; 3]);
    let mut alpha = vec![255; colours.len() / 3 - 1];
    alpha.push(0);

    let mut png = SIGNATURE.to_vec();
    chunk(&mut png, *b"IHDR", &header);
    chunk(&mut png, *b"PLTE", &colours);
    chunk(&mut png, *b"tRNS", &alpha);
    chunk(&mut png, *b"IDAT", &deflate(width, indices));
    chunk(&mut png, *b"IEND", &[]);
    png
}

fn deflate(width: u32, indices: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    let written = indices.chunks(width as usize).try_for_each(|row| {
        // Every row begins with its filter; indices compress best without one.
        encoder.write_all(&[0])?;
        encoder.write_all(row)
    });
    written.and_then(|()| encoder.finish()).expect("invariant: writing to memory cannot fail")
}

fn chunk(png: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) {
    let mut checksum = Crc::new();
    checksum.update(&kind);
    checksum.update(data);
    png.extend((data.len() as u32).to_be_bytes());
    png.extend(kind);
    png.extend(data);
    png.extend(checksum.sum().to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::ZlibDecoder;
    use std::io::Read;

    #[test]
    fn pixels_read_back() {
        let png = encode(3, &[0, 1, 2, 244, 245, 246], false);
        let data = png.windows(4).position(|w| w == b"IDAT").expect("a data chunk") + 4;
        let mut pixels = Vec::new();
        ZlibDecoder::new(&png[data..]).read_to_end(&mut pixels).expect("a zlib stream");
        assert_eq!(pixels, [0, 0, 1, 2, 0, 244, 245, 246]);
    }

    #[test]
    fn the_end_has_its_known_checksum() {
        assert!(encode(1, &[0], true).ends_with(b"\0\0\0\0IEND\xae\x42\x60\x82"));
    }
}
