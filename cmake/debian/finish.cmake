# Run by cpack between installing and packing: what Debian wants of each package beside its files, a copyright and two changelogs, and compressed
# manual pages. Times are those of SOURCE_DATE_EPOCH, if it is set, so that a package can be made again.
set(upstream ${CPACK_QUERN_SOURCE}/CHANGELOG.md)
if(DEFINED ENV{SOURCE_DATE_EPOCH})
    set(date --date=@$ENV{SOURCE_DATE_EPOCH})
endif()
execute_process(COMMAND date --utc -R ${date} OUTPUT_VARIABLE now OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(CONFIGURE [[quern (@CPACK_PACKAGE_VERSION@-@CPACK_DEBIAN_PACKAGE_RELEASE@) unstable; urgency=medium

  * What changed is in changelog.gz.

 -- @CPACK_PACKAGE_CONTACT@  @now@
]] debian_changelog @ONLY)

foreach(pair ${CPACK_QUERN_PACKAGES})
    string(REGEX MATCH "^(.*)=(.*)$" pair ${pair})
    set(root ${CPACK_TEMPORARY_DIRECTORY}/${CMAKE_MATCH_1}/usr)
    set(doc ${root}/share/doc/${CMAKE_MATCH_2})
    file(MAKE_DIRECTORY ${doc})
    file(COPY_FILE ${CPACK_QUERN_SOURCE}/cmake/debian/copyright ${doc}/copyright)
    file(COPY_FILE ${upstream} ${doc}/changelog)
    file(WRITE ${doc}/changelog.Debian "${debian_changelog}")
    file(GLOB_RECURSE pages ${root}/share/man/*)
    execute_process(COMMAND gzip -9nf ${doc}/changelog ${doc}/changelog.Debian ${pages} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
